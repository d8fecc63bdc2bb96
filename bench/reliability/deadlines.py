"""Does a run end when its time is over, or when a signal comes? The worst delay in seconds.

    bench/run.py reliability/deadlines [--moments N] [--seed N] [--most SECONDS]

N times, one of the `SCENES` is reduced, each of which spends its time somewhere else, and ends at a
random moment of at most --most seconds: by --max-time, SIGTERM or Ctrl-C. The time counts from the
first line of --json, which is written when the modules are imported. *Late* is how long after that
moment the process has ended; *own* is how much processor time nubbin itself had used by then, which
says more on a busy machine. If a run tells a result, that must be there, with the word in it that
the test looks for. The load of the machine is printed too: all seconds grow with it.
"""

from __future__ import annotations

import json
import lzma
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.experiment import Table
from harness.processes import own_seconds
from scale.large_inputs import fill, fill_folder, functions

_WORD = b"KEEP17"
_MAX_WAIT_S = 300.0
COLUMNS = "scene | ended by | at, s | late, s | own, s | exit | what is wrong"


@dataclass(frozen=True)
class Scene:
    """An input, the arguments that reduce it, and where that spends its time."""

    name: str
    make: Callable[[Path], str]
    options: tuple[str, ...]


def _script(folder: Path, *lines: str) -> None:
    test = folder / "test.sh"
    test.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    test.chmod(0o755)


def _text(folder: Path) -> str:
    fill(folder / "in.c", functions(), 200_000)
    with (folder / "in.c").open("ab") as stream:
        stream.write(b"int " + _WORD + b";\n")
    _script(folder, 'grep -q KEEP17 "$1"')
    return "in.c"


def _hangs(folder: Path) -> str:
    name = _text(folder)
    count = folder / "count"
    _script(
        folder,
        f"echo x >>{count}",
        f"[ $(wc -l <{count}) -gt 7 ] && sleep 1000",
        'grep -q KEEP17 "$1"',
    )
    return name


def _slow(folder: Path) -> str:
    name = _text(folder)
    _script(folder, "sleep 0.7", 'grep -q KEEP17 "$1"')
    return name


def _flaky(folder: Path) -> str:
    name = _text(folder)
    _script(
        folder, "sleep 0.05", 'grep -q KEEP17 "$1" && [ $(($(date +%N | tail -c 3) % 3)) != 0 ]'
    )
    return name


def _grammar(folder: Path) -> str:
    (folder / "x.cob").write_bytes(b"a\n\n" * 5000 + _WORD)
    _script(folder, 'grep -q KEEP17 "$1"')
    return "x.cob"


def _folder(folder: Path) -> str:
    fill_folder(folder / "project", 4_000)
    (folder / "project" / "keep.c").write_bytes(_WORD)
    _script(folder, 'grep -rq KEEP17 "$1"')
    return "project"


def _large(folder: Path) -> str:
    fill(folder / "in.txt", functions(), 40_000_000)
    with (folder / "in.txt").open("ab") as stream:
        stream.write(_WORD)
    _script(folder, 'grep -q KEEP17 "$1"')
    return "in.txt"


def _packed(folder: Path) -> str:
    name = _text(folder)
    words = random.Random(1).choices(Path(folder, name).read_bytes().split(), k=1_500_000)
    (folder / "in.txt").write_bytes(b" ".join(words) + b"\n" + _WORD)
    subprocess.run(["xz", "-0", "in.txt"], cwd=folder, check=True)
    _script(folder, 'xz -dc "$1" | grep -q KEEP17')
    return "in.txt.xz"


TEST = ("./test.sh",)
SCENES = (
    Scene("a quick test", _text, TEST),
    Scene("a test that hangs after seven runs", _hangs, TEST),
    Scene("a slow test", _slow, TEST),
    Scene("a flaky test", _flaky, TEST),
    Scene("a grammar that never ends", _grammar, TEST),
    Scene("4,000 files", _folder, TEST),
    Scene("40 MB", _large, TEST),
    Scene("7 MB in an xz", _packed, TEST),
    Scene("learning from a slow command", _slow, ("--run", "./test.sh {} && exit 3")),
)


def experiment(*, moments: int = 30, seed: int = 0, most: float = 20.0) -> Iterator[Table | str]:
    worst: list[float] = []
    yield Table(COLUMNS, _rows(moments, seed, most, worst), "llrrrrl")
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    yield f"The worst delay: {max(worst):.1f} s, at a load of {load:.1f} for each processor."


def _rows(moments: int, seed: int, most: float, worst: list[float]) -> Iterator[list[str]]:
    chance = random.Random(seed)
    for number in range(moments):
        scene = SCENES[number % len(SCENES)]
        how = chance.choice(("--max-time", "SIGTERM", "SIGINT"))
        at, jobs = round(chance.uniform(0.2, most), 1), chance.choice((1, 2, 4))
        with TemporaryDirectory(dir=os.environ.get("TMPDIR")) as temporary:
            late, own, code, wrong = ended(scene, Path(temporary), how, at, jobs)
        worst.append(late)
        name = f"{scene.name}, {jobs} jobs" if jobs > 1 else scene.name
        yield [name, how, f"{at:.1f}", f"{late:.1f}", f"{own:.1f}", str(code), wrong]


def ended(
    scene: Scene, folder: Path, how: str, at: float, jobs: int
) -> tuple[float, float, int, str]:
    """Reduce a scene, and end it; return how late that was, its own time, and what is wrong."""
    name = scene.make(folder)
    line = [sys.executable, "-m", "nubbin", "reduce", "--json", f"-j{jobs}"]
    line += ["--max-time", f"{at}"] if how == "--max-time" else []
    log = folder / "log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*line, *scene.options, name], cwd=folder, stdout=output, stderr=output
        ) as run,
    ):
        end = time.monotonic() + _MAX_WAIT_S
        while not log.stat().st_size and run.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        due = time.monotonic() + at
        while run.poll() is None and time.monotonic() < due:
            time.sleep(0.005)
        if how != "--max-time" and run.poll() is None:
            run.send_signal(signal.Signals[how])
        own = before = own_seconds(run.pid) if run.poll() is None else 0.0
        while run.poll() is None and time.monotonic() < end:
            own = own_seconds(run.pid)
            time.sleep(0.005)
        late = max(0.0, time.monotonic() - due)
        if run.poll() is None:
            run.kill()
            return late, own - before, -9, "it did not end"
    return late, own - before, run.returncode, _wrong(folder, log)


def _wrong(folder: Path, log: Path) -> str:
    """Return what is wrong with how a run has ended; nothing if all is well."""
    lines = log.read_bytes().splitlines()
    if any(line.startswith(b"Traceback") for line in lines):
        return lines[-1].decode(errors="replace")
    last = json.loads(lines[-1])
    if last.get("output") is None:
        return "" if last.get("event") == "error" else "no result is told"
    result = Path(folder, last["output"])
    texts = [each.read_bytes() for each in (result, *result.rglob("*")) if each.is_file()]
    if result.suffix == ".xz":
        texts = [lzma.decompress(each) for each in texts]
    return "" if any(_WORD in text for text in texts) else "the result is not one"
