"""nubbin's own time and memory: whole reductions with a test that takes no time.

    bench/run.py scale/owntime [--queries N] [--words N] [--seed N] FILE...

`scale/large_inputs` makes inputs for it; FILE may be a folder. All seconds are of the processor, so
that other work on the machine matters little.

- *ms a query*: a reduction in one process. The test finds a document interesting if it still holds
  some words of the original, chosen at random; its time is left out, that of the parser's process
  is not.
- *first, s*: `nubbin reduce` with a script, from its start to the first question that is asked
  after the test was checked.
- *memory, MB*: the most that it and its children have held by then; what they share counts once.
- *Ctrl-C, s*: from SIGINT to its end: the longer of two, half way to the first question and
  after it.
- *copy, s*: what `cp` takes, in wall time, for comparison.
"""

import os
import random
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

from harness.experiment import Table
from harness.processes import children_of, used
from harness.reductions import CHECKS, executable, reduced, started
from nubbin.documents.document import Document
from nubbin.documents.reading.from_disk import read
from nubbin.reduction.events import Event, Improved, RolledBack
from nubbin.reduction.result.best import Best

_WORD = re.compile(rb"[A-Za-z_]\w{3,}")


def measured(path: Path, queries: int, words: int, seed: int) -> tuple[int, int, float]:
    """Reduce an input; return the bytes left, the queries and the own seconds for each.

    The test asks whether every word is still there.
    """
    inputs = read([path])
    document, draw = inputs.document, random.Random(seed)
    files = [file.data for file in draw.choices(document.files, k=words)]
    found = (_WORD.search(data, draw.randrange(len(data))) for data in files)
    wanted = [word[0] for word in found if word]

    def holds(candidate: Document) -> bool:
        return all(any(word in file.data for file in candidate.files) for word in wanted)

    with (
        tempfile.TemporaryDirectory() as folder,
        Best(inputs.root, Path(folder, path.name)) as best,
    ):

        def keep(event: Event) -> None:
            if isinstance(event, Improved | RolledBack):
                best.write(event.document)

        best.write(document)
        ended = reduced(document, holds, max_queries=queries, seed=seed, parses=True, observer=keep)
    left = sum(len(file.data) for file in ended.document.files)
    return left, ended.queries, ended.own_s / ended.queries


class Command:
    """`nubbin reduce` on an input, with a script that looks for one word, and how it does."""

    def __init__(self, path: Path, folder: Path):
        self._runs = folder / "runs"
        self._runs.touch()
        data = next(iter(read([path]).document.files)).data
        word = _WORD.findall(data[: 1 << 16])[0].decode()
        text = f'#!/bin/sh\necho >>{self._runs}\ngrep -qr {word} "$1"\n'
        test = executable(folder / "test.sh", text)
        self._popen = started(test, path, "--output", folder / path.name)
        self.seconds, self.memory = 0.0, 0

    def until(self, runs: int, wall: float = float("inf")) -> float:
        """Wait until the test has begun that often, or for so long; return the wall seconds."""
        begun = time.monotonic()
        while self._popen.poll() is None and self._runs.stat().st_size < runs:
            with suppress(FileNotFoundError, ProcessLookupError):
                each = [used(pid) for pid in (self._popen.pid, *children_of(self._popen.pid))]
                self.seconds = sum(one.all_s for one in each)
                self.memory = max(self.memory, sum(one.share for one in each))
            if time.monotonic() - begun > wall:
                break
            time.sleep(0.02)
        return time.monotonic() - begun

    def interrupt(self) -> float:
        """End it by Ctrl-C; return the seconds that it takes."""
        self._popen.send_signal(signal.SIGINT)
        _, status, spent = os.wait4(self._popen.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        return spent.ru_utime + spent.ru_stime - self.seconds


def begun(path: Path) -> tuple[float, float, float]:
    """Return the seconds to the first question, the most memory, the seconds that Ctrl-C takes."""
    with tempfile.TemporaryDirectory() as folder:
        command = Command(path, Path(folder))
        wall = command.until(CHECKS + 1)
        seconds, memory = command.seconds, command.memory
        after = command.interrupt()
    with tempfile.TemporaryDirectory() as folder:
        command = Command(path, Path(folder))
        command.until(CHECKS + 1, wall / 2)
        return seconds, memory, max(after, command.interrupt())


def copied(path: Path) -> float:
    """Return the seconds to copy an input."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        (shutil.copytree if path.is_dir() else shutil.copyfile)(path, Path(folder, path.name))
        return time.monotonic() - started


def experiment(
    file: Sequence[Path], *, queries: int = 400, words: int = 60, seed: int = 1
) -> Iterator[Table]:
    columns = "input | bytes | left | queries | ms a query | first, s | memory, MB | Ctrl-C, s"
    yield Table(f"{columns} | copy, s", (row(each, queries, words, seed) for each in file))


def row(path: Path, queries: int, words: int, seed: int) -> list[object]:
    size = sum(len(file.data) for file in read([path]).document.files)
    # In a process of its own: memory that one input has used matters to no other.
    with get_context("spawn").Pool(1) as pool:
        left, asked, own = pool.apply(measured, (path, queries, words, seed))
    first, memory, stop = begun(path)
    times = f"{first:.1f}", f"{memory / 1e6:,.0f}", f"{stop:.1f}", f"{copied(path):.2f}"
    return [path.name, size, left, asked, f"{1000 * own:.1f}", *times]
