#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""How do queries, processor time and memory grow with the size of an input? A page of figures.

    bench/ladder.py [--kind KIND ...] [--most BYTES] [--most-files N] [--seconds S]

Inputs of each kind are made in sizes of 10 KB, 100 KB, 1 MB, ... and folders of 10, 100, ... files.
`nubbin reduce` has one job, and a test that looks for up to ten words from anywhere in the input.
Each reduction is interrupted after S seconds of processor time if it does not end by itself, so
what else the machine does matters little.

- *own, s*: the processor time of nubbin and of its parser, without that of the tests.
- *memory, MB*: the most that each of the two held, added up.
- *bytes for each*: that memory, less that of an input of 10 KB, for each byte of the input, from
  1 MB on.

Below the table are the exponents e for which queries and time grow as size^e, fitted by least
squares to the rungs that ended by themselves. Linux only: figures come from /proc.
"""

import json
import math
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

import command_line
from large_inputs import fill, fill_folder, functions, lines, records, statements
from nubbin_bench.markdown import print_table

HEAD = ["kind", "size", "left", "queries", "end", "own, s", "ms a query", "memory, MB"]
HEAD += ["bytes for each"]
_WORDS = 10
_WORD = re.compile(rb"\w{2,}")
_TICKS_PER_S = 100
_PERIOD_S = 0.05


def one_line() -> Iterator[str]:
    """Yield records of JSON as the elements of one list, which is never closed."""
    yield "["
    for record in records():
        yield record.strip() + ", "


def modules() -> Iterator[str]:
    """Yield functions of Python that call one another."""
    draw = random.Random(7)
    for number in count():
        calls = "".join(
            f"    if x > {draw.randrange(99)}:\n        y += f{draw.randrange(number + 1)}(x - 1)\n"
            for _ in range(draw.randrange(1, 8))
        )
        yield f"def f{number}(x):\n    y = {number}\n{calls}    return y\n\n\n"


KINDS: dict[str, tuple[str, Callable[[], Iterator[str]]]] = {
    "SQL": ("sql", statements),
    "JSON, one line": ("json", one_line),
    "C": ("c", functions),
    "Python": ("py", modules),
    "log": ("log", lines),
}
FOLDER = "folder of C"


@dataclass(frozen=True)
class Rung:
    """What a reduction of an input of some size took: bytes or files, and the figures."""

    size: int
    left: int
    queries: int
    reason: str
    own_s: float
    memory: int


def climbed(path: Path, size: int, seconds: float) -> Rung:
    """Reduce an input, and watch what that takes."""
    folder = path.parent
    test, stats = folder / "test.sh", folder / "stats.json"
    wanted = " && ".join(f'grep -qrF {shlex.quote(word)} "$1"' for word in words_of(path))
    test.write_text(f"#!/bin/sh\n{wanted}\n")
    test.chmod(0o755)
    options = ["--jobs", "1", "--quiet", "--stats", str(stats)]
    places = ["--output", str(folder / "left"), "--run-dir", str(folder / "run")]
    command = [*command_line.NUBBIN, "reduce", *options, *places, str(test), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used: dict[int, tuple[float, int]] = {}
    is_over = False
    while process.poll() is None:
        for each in (process.pid, *parsers_of(process.pid)):
            with suppress(OSError, IndexError):
                used[each] = used_by(each)
        if not is_over and totals(used)[0] > seconds:
            is_over = True
            process.terminate()
        time.sleep(_PERIOD_S)
    if not stats.exists():
        return Rung(size, 0, 0, "no query", *totals(used))
    told = json.loads(stats.read_text())
    left = told["after"]["bytes"]
    return Rung(size, left, told["queries"], told["reason"], *totals(used))


def words_of(path: Path) -> list[str]:
    """Return words from anywhere in an input, always the same."""
    draw = random.Random(1)
    files = [path] if path.is_file() else [*filter(Path.is_file, sorted(path.rglob("*")))]
    found = set[bytes]()
    for _ in range(_WORDS):
        with draw.choice(files).open("rb") as stream:
            stream.seek(draw.randrange(stream.seek(0, 2)))
            near = _WORD.findall(stream.read(1 << 10))[1:-1]
        found.update(draw.choices(near, k=min(len(near), 1)))
    return sorted(word.decode() for word in found)


def parsers_of(process: int) -> list[int]:
    """Return the children of nubbin that parse."""
    with suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [int(each) for each in children if b"parser" in _command(each)]
    return []


def _command(process: str) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def used_by(process: int) -> tuple[float, int]:
    """Return the processor's seconds of a process without its children, and its peak of memory."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()
    return sum(map(int, stat[11:13])) / _TICKS_PER_S, int(status[0]) << 10


def totals(used: dict[int, tuple[float, int]]) -> tuple[float, int]:
    """Return the seconds and the memory of all processes."""
    return sum(each for each, _ in used.values()), sum(each for _, each in used.values())


def ladder(kind: str, most: int, most_files: int, seconds: float) -> Iterator[Rung]:
    """Yield the rungs of a kind, the smallest first, up to the first that asks nothing."""
    largest = most_files if kind == FOLDER else most
    size = 10 if kind == FOLDER else 10_000
    rung = None
    while size <= largest and (rung is None or rung.queries):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if kind == FOLDER:
                path = folder / "input"
                fill_folder(path, size)
            else:
                ending, parts = KINDS[kind]
                path = folder / f"input.{ending}"
                fill(path, parts(), size)
            rung = climbed(path, size, seconds)
        yield rung
        size = min(10 * size, largest) if size < largest else largest + 1


def exponent(rungs: list[Rung], figure: Callable[[Rung], float]) -> str:
    """Return the exponent by which a figure grows with the size."""
    ended = [rung for rung in rungs if rung.reason == "fixpoint"]
    if len(ended) < 2:
        return "unknown"
    sizes = [math.log(rung.size) for rung in ended]
    slope = np.polyfit(sizes, [math.log(figure(rung)) for rung in ended], 1)[0]
    return f"{slope:.2f}"


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("--kind", action="append", choices=[*KINDS, FOLDER])
    parser.add_argument("--most", type=int, default=200_000_000, metavar="BYTES")
    parser.add_argument("--most-files", type=int, default=20_000, metavar="N")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    climbs: dict[str, list[Rung]] = {}

    def rows() -> Iterator[list[str]]:
        for kind in options.kind or [*KINDS, FOLDER]:
            rungs = climbs[kind] = []
            for rung in ladder(kind, options.most, options.most_files, options.seconds):
                rungs.append(rung)
                more = (rung.memory - rungs[0].memory) / rung.size
                for_each = f"{more:.1f}" if rung.size >= 1_000_000 else ""
                yield [
                    *(kind, f"{rung.size:,}", f"{rung.left:,}", f"{rung.queries:,}", rung.reason),
                    *(f"{rung.own_s:.1f}", f"{1000 * rung.own_s / max(rung.queries, 1):.1f}"),
                    *(f"{rung.memory / 1e6:,.0f}", for_each),
                ]
                sys.stdout.flush()

    print_table(HEAD, rows(), align="lrrrlrrrr")
    print()
    growth = (
        [kind, exponent(rungs, lambda rung: rung.queries), exponent(rungs, lambda rung: rung.own_s)]
        for kind, rungs in climbs.items()
    )
    print_table(["kind", "queries", "own time"], growth, align="lrr")


if __name__ == "__main__":
    main()
