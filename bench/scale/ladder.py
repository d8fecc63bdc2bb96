"""How do queries, processor time and memory grow with the size of an input? A page of figures.

    bench/run.py scale/ladder [--kind KIND ...] [--most BYTES] [--most-files N] [--seconds S]

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
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.experiment import Table
from harness.processes import children_of, own_seconds, peak_memory
from harness.reductions import executable, started
from scale.inputs import fill, fill_folder, functions, lines, modules, one_line, statements

_WORDS = 10
_WORD = re.compile(rb"\w{2,}")
_PERIOD_S = 0.05


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
    folder, stats = path.parent, path.with_name("stats.json")
    wanted = " && ".join(f'grep -qrF {shlex.quote(word)} "$1"' for word in words_of(path))
    test = executable(folder / "test.sh", f"#!/bin/sh\n{wanted}\n")
    places = ["--output", folder / "left", "--run-dir", folder / "run"]
    process = started(test, path, "--stats", stats, *places)
    seen: dict[int, tuple[float, int]] = {}
    own_s, is_over = 0.0, False
    while process.poll() is None:
        below = children_of(process.pid)
        for each in (process.pid, *(child for child, line in below.items() if b"parser" in line)):
            with suppress(OSError, IndexError):
                seen[each] = own_seconds(each), peak_memory(each)
        own_s = sum(seconds for seconds, _ in seen.values())
        if not is_over and own_s > seconds:
            is_over = True
            process.terminate()
        time.sleep(_PERIOD_S)
    spent = own_s, sum(peak for _, peak in seen.values())
    if not stats.exists():
        return Rung(size, 0, 0, "no query", *spent)
    told = json.loads(stats.read_text())
    return Rung(size, told["after"]["bytes"], told["queries"], told["reason"], *spent)


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


def ladder(kind: str, most: int, most_files: int, seconds: float) -> Iterator[Rung]:
    """Yield the rungs of a kind, the smallest first, up to the first that asks nothing."""
    largest = most_files if kind == FOLDER else most
    size = 10 if kind == FOLDER else 10_000
    rung = None
    while size <= largest and (rung is None or rung.queries):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name, "input")
            if kind == FOLDER:
                fill_folder(path, size)
            else:
                ending, parts = KINDS[kind]
                path = path.with_suffix(f".{ending}")
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


def experiment(
    *,
    kind: Sequence[str] = (*KINDS, FOLDER),
    most: int = 200_000_000,
    most_files: int = 20_000,
    seconds: float = 60.0,
) -> Iterator[Table]:
    climbs: dict[str, list[Rung]] = {each: [] for each in kind}

    def rows() -> Iterator[list[object]]:
        for each, rungs in climbs.items():
            for rung in ladder(each, most, most_files, seconds):
                rungs.append(rung)
                more = (rung.memory - rungs[0].memory) / rung.size
                for_each = f"{more:.1f}" if rung.size >= 1_000_000 else ""
                own = f"{rung.own_s:.1f}", f"{1000 * rung.own_s / max(rung.queries, 1):.1f}"
                counts = each, rung.size, rung.left, rung.queries, rung.reason
                yield [*counts, *own, f"{rung.memory / 1e6:,.0f}", for_each]

    columns = "kind | size | left | queries | end | own, s | ms a query | memory, MB"
    yield Table(f"{columns} | bytes for each", rows(), "lrrrlrrrr")
    growth = (
        [each, exponent(rungs, lambda rung: rung.queries), exponent(rungs, lambda rung: rung.own_s)]
        for each, rungs in climbs.items()
    )
    yield Table("kind | queries | own time", growth)
