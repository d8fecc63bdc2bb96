"""What comes of tests that answer at random? Prints the tables of docs/reliability.md.

    bench/run.py reliability/flaky [--seeds N] [--shrinkray COMMAND]
    bench/run.py reliability/flaky --claims [--seeds N]

Five of the 400 lines of a document make a bug; two of them are neighbours. The test finds the bug
at one rate if it is there, and at another if it is not. A result is genuine if it holds the five
lines. Each row is made with N seeds; sizes and runs of the test are medians. A reduction that gives
up because the test is too flaky has no result.

With --claims, prints what may be wrong with what nubbin says: the same document reduced, and the
lines as a list given to `nubbin.minimize`.

With COMMAND, Shrink Ray reduces the same document with a script as the test, one run at a time. It
goes on long after its last success, so it is stopped after RAY_RUNS runs of the test.
"""

import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.experiment import Table
from harness.reductions import executable, reduced
from nubbin.documents.document import Document
from nubbin.errors import NubbinError
from nubbin.search.minimize import minimize

LINES = [b"line %d of the input\n" % number for number in range(400)]
NEEDED = {LINES[at] for at in (17, 120, 121, 260, 399)}
TEXT = b"".join(LINES)
LEAST = sum(map(len, NEEDED))

#: The rates at which the bug is found: if it is there, and if it is not.
ORACLES = [(1.0, 0.0), (0.9, 0.0), (0.5, 0.0), (0.2, 0.0), (1.0, 0.01), (1.0, 0.05), (0.5, 0.05)]

_RATES = "finds it | and where it is not | how | genuine"
COLUMNS = f"{_RATES} | true rate | bytes | runs of the test"

#: The same, for what is claimed.
CLAIMS = [(1.0, 0.0), (1.0, 0.01), (1.0, 0.1), (1.0, 0.3), (1.0, 0.5)]
CLAIMS += [(0.9, 0.0), (0.7, 0.0), (0.5, 0.0), (0.9, 0.1)]
CLAIMS_COLUMNS = (
    f"{_RATES} | no result | not genuine | and without a word | 1-minimal, wrongly "
    "| runs of the test"
)

RAY_RUNS = 600
RAY_SEEDS = 3

SCRIPT = """\
#!{python} -IS
import random, sys
open({count!r}, "a").write(".")
lines = set(open(sys.argv[1], "rb").read().splitlines(keepends=True))
sys.exit(random.random() >= ({rate} if {needed!r} <= lines else {false}))
"""


Ended = tuple[bytes | None, int]  # the result, if there is one, and the number of runs of the test


class Flaky:
    """The test: draws every answer, whatever it said before."""

    def __init__(self, rate: float, false: float, seed: int):
        self.rate, self.false, self.rng, self.runs = rate, false, random.Random(seed), 0

    def __call__(self, data: bytes) -> bool:
        self.runs += 1
        return self.rng.random() < (self.rate if genuine(data) else self.false)


def genuine(data: bytes) -> bool:
    """Tell whether a document has the bug."""
    return set(data.splitlines(keepends=True)) >= NEEDED


class Reduced(NamedTuple):
    """A result, and what was said of it."""

    data: bytes
    minimal: bool
    flaky: bool


def nubbin(test: Flaky, runs: int | None) -> Reduced | None:
    """Reduce by lines; return what came of it, or None if the test is found to be too flaky."""
    document = Document.single("input.txt", TEXT)

    def holds(candidate: Document) -> bool:
        return any(test(candidate.files[0].data) for _ in range(runs or 1))

    sampled = runs is None
    try:
        ended = reduced(document, holds, smallest="lines", flaky=True, sampled=sampled)
    except NubbinError:
        return None
    return Reduced(ended.document.files[0].data, ended.minimal, ended.flaky)


def library(test: Flaky) -> Reduced | None:
    """Minimize the list of lines by `nubbin.minimize`; return as `nubbin`."""
    try:
        found = minimize(LINES, lambda lines: test(b"".join(lines)))
    except NubbinError:
        return None
    return Reduced(b"".join(found.kept), found.minimal, found.flaky)


def shrinkray(command: str, rate: float, false: float) -> Ended:
    """Reduce the same with Shrink Ray; return the result, and how often the test was run.

    There is no result if Shrink Ray exits with an error: most often it does not find the input
    interesting.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = folder / "count"
        count.touch()
        source = folder / "input.txt"
        facts = {"rate": rate, "false": false, "needed": NEEDED, "count": str(count)}
        test = executable(folder / "test.py", SCRIPT.format(python=sys.executable, **facts))
        source.write_bytes(TEXT)
        options = ["--ui", "basic", "--parallelism", "1", "--timeout", "10"]
        line = [*command.split(), *options, str(test), str(source)]
        null = subprocess.DEVNULL
        with subprocess.Popen(line, cwd=folder, stdout=null, stderr=null) as ray:
            while ray.poll() is None and count.stat().st_size < RAY_RUNS:
                time.sleep(0.1)
            failed = ray.poll()
            ray.send_signal(signal.SIGINT)
        return None if failed else source.read_bytes(), count.stat().st_size


def row(rate: float, false: float, how: str, ended: list[Ended]) -> list[str]:
    """Return the cells of a row: the results of one kind of reduction with all seeds."""
    results = [data for data, _ in ended if data is not None]
    good = sum(map(genuine, results))
    size = f"{statistics.median(map(len, results)):,.0f}" if results else "-"
    runs = statistics.median(runs for _, runs in ended)
    true = statistics.mean(rate if genuine(data) else false for data in results) if results else 0
    cells = [f"{rate:.0%}", f"{false:.0%}", how, f"{good} of {len(ended)}", f"{true:.2f}", size]
    return [*cells, f"{runs:,.0f}"]


def claimed(seeds: int) -> Iterator[list[str]]:
    """Yield the cells of each row: how often what was said of a result was wrong."""
    for rate, false in CLAIMS:
        for how, reduce in (("`reduce`", partial(nubbin, runs=None)), ("`minimize`", library)):
            tests = [Flaky(rate, false, seed) for seed in range(seeds)]
            ended = [reduce(test) for test in tests]
            results = [each for each in ended if each is not None]
            wrong = [each for each in results if not genuine(each.data)]
            counts = (
                len(results) - len(wrong),
                seeds - len(results),
                len(wrong),
                sum(not each.flaky for each in wrong),
                sum(each.minimal and len(each.data) != LEAST for each in results),
            )
            runs = statistics.median(test.runs for test in tests)
            yield [f"{rate:.0%}", f"{false:.0%}", how, *map(str, counts), f"{runs:,.0f}"]


def experiment(
    *, seeds: int = 20, claims: bool = False, shrinkray: str = ""
) -> Iterator[Table | str]:
    yield f"Of {len(TEXT):,} bytes, {LEAST} make the bug.\n"
    if claims:
        yield Table(CLAIMS_COLUMNS, claimed(seeds), "rrlr")
    else:
        yield Table(COLUMNS, rows(seeds, shrinkray), "rrlr")


def rows(seeds: int, command: str) -> Iterator[list[str]]:
    """Yield the cells of each row."""
    for rate, false in ORACLES:
        for how, runs in (("default", None), ("`--runs 1`", 1), ("`--runs 5`", 5)):
            ended = []
            for seed in range(seeds):
                test = Flaky(rate, false, seed)
                found = nubbin(test, runs)
                ended.append((found and found.data, test.runs))
            yield row(rate, false, how, ended)
        if command:
            ended = [shrinkray(command, rate, false) for _ in range(RAY_SEEDS)]
            yield row(rate, false, "Shrink Ray", ended)
