#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""nubbin's own time and memory: whole reductions with a test that takes no time.

    bench/owntime.py [--queries N] [--words N] [--seed N] FILE...

`large_inputs.py` makes inputs for it; FILE may be a folder. All seconds are of the processor, so
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
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import command_line
from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.documents.reading.from_disk import read
from nubbin.minimizers import Settings
from nubbin.oracles.oracle import Answer
from nubbin.reduction.events import Event, Improved, RolledBack
from nubbin.reduction.pass_problem import PassProblem, Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin.reduction.result.best import Best
from nubbin.search.budget import Budget
from nubbin.search.flaky_aware_test import FlakyAwareTest
from nubbin.search.search import Search
from nubbin.verdict import Verdict
from nubbin_bench.markdown import print_table

#: Runs of the test before the first question: twice the input, once the empty input.
CHECKS = 3
_WORD = re.compile(rb"[A-Za-z_]\w{3,}")


class Words:
    """The test: is every word still there?"""

    def __init__(self, document: Document, words: int, seed: int):
        draw = random.Random(seed)
        files = [file.data for file in draw.choices(document.files, k=words)]
        found = (_WORD.search(data, draw.randrange(len(data))) for data in files)
        self.words = [word[0] for word in found if word]
        self.queries, self.seconds = 0, 0.0

    def __call__(self, document: Document) -> Answer:
        started = time.process_time()
        found = all(any(word in file.data for file in document.files) for word in self.words)
        self.queries += 1
        self.seconds += time.process_time() - started
        return Answer(Verdict.INTERESTING if found else Verdict.UNINTERESTING, 0.0, None, False)


def reduced(path: Path, queries: int, words: int, seed: int) -> tuple[int, int, float]:
    """Reduce an input; return the bytes left, the queries and the own seconds for each."""
    inputs = read([path])
    document = inputs.document
    test = Words(document, words, seed)
    started = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        Best(inputs.root, Path(folder, path.name)) as best,
        parsing(),
    ):

        def keep(event: Event) -> None:
            if isinstance(event, Improved | RolledBack):
                best.write(event.document)

        best.write(document)
        begin = partial(PassProblem, settings=Settings(seed=seed))
        plan = Plan(passes_for(document, "auto", None), begin)
        asked = FlakyAwareTest(test, document, {}, sampled=False)
        ended = Reducer(plan, Search(asked, budget=Budget(queries)), asked, keep).run()
    parser = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = time.process_time() - started - test.seconds + parser.ru_utime + parser.ru_stime
    left = sum(len(file.data) for file in ended.document.files)
    return left, test.queries, own / test.queries


class Command:
    """`nubbin reduce` on an input, with a script that looks for one word, and how it does."""

    def __init__(self, path: Path, folder: Path):
        self._runs = folder / "runs"
        self._runs.touch()
        data = next(iter(read([path]).document.files)).data
        word = _WORD.findall(data[: 1 << 16])[0].decode()
        test = folder / "test.sh"
        test.write_text(f'#!/bin/sh\necho >>{self._runs}\ngrep -qr {word} "$1"\n')
        test.chmod(0o755)
        options = ["--jobs", "1", "--output", str(folder / path.name), "--quiet"]
        command = [*command_line.NUBBIN, "reduce", *options, str(test), str(path)]
        self._popen = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.seconds, self.memory = 0.0, 0

    def until(self, runs: int, wall: float = float("inf")) -> float:
        """Wait until the test has begun that often, or for so long; return the wall seconds."""
        started = time.monotonic()
        while self._popen.poll() is None and self._runs.stat().st_size < runs:
            with suppress(FileNotFoundError, ProcessLookupError):
                used = [_used(each) for each in _with_children(self._popen.pid)]
                self.seconds = sum(seconds for seconds, _ in used)
                self.memory = max(self.memory, sum(memory for _, memory in used))
            if time.monotonic() - started > wall:
                break
            time.sleep(0.02)
        return time.monotonic() - started

    def interrupt(self) -> float:
        """End it by Ctrl-C; return the seconds that it takes."""
        self._popen.send_signal(signal.SIGINT)
        _, status, used = os.wait4(self._popen.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime - self.seconds


def _with_children(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [process, *map(int, children.split())]


def _used(process: int) -> tuple[float, int]:
    """Return the processor's seconds, and the bytes of a process: its share of what it holds."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    memory = Path(f"/proc/{process}/smaps_rollup").read_text().partition("\nPss:")[2].split()
    ticks = sum(map(int, stat[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK"), int(memory[0]) << 10 if memory else 0


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


def rows(paths: list[Path], queries: int, words: int, seed: int) -> Iterator[list[str]]:
    """Yield a row of figures for each input."""
    for path in paths:
        size = sum(len(file.data) for file in read([path]).document.files)
        # Each in a process of its own: memory that one has used matters to no other.
        with get_context("spawn").Pool(1) as pool:
            left, asked, own = pool.apply(reduced, (path, queries, words, seed))
        first, memory, stop = begun(path)
        yield [
            *(path.name, f"{size:,}", f"{left:,}", f"{asked}", f"{1000 * own:.1f}"),
            *(f"{first:.1f}", f"{memory / 1e6:,.0f}", f"{stop:.1f}", f"{copied(path):.2f}"),
        ]
        sys.stdout.flush()


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    head = ["input", "bytes", "left", "queries", "ms a query"]
    head += ["first, s", "memory, MB", "Ctrl-C, s", "copy, s"]
    print_table(head, rows(options.files, options.queries, options.words, options.seed))


if __name__ == "__main__":
    main()
