"""What comes of a test that answers at random, and is what nubbin says of it right?

    bench/run.py reliability/flaky [--seeds N]

Five of the 400 lines of a document make a bug; two of them are neighbours. The test finds the bug
at one rate if it is there, and at another if it is not. A result is genuine if it holds the five
lines. `minimize` is given the lines as a list, the others reduce the document; a reduction that
gives up because the test is too flaky has no result. Each row is made with N seeds; sizes and runs
of the test are medians.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from harness.experiment import Table
from harness.reductions import reduced
from nubbin.documents.document import Document
from nubbin_core.errors import NubbinError
from nubbin_core.search.minimize import minimize

LINES = [b"line %d of the input\n" % number for number in range(400)]
NEEDED = {LINES[at] for at in (17, 120, 121, 260, 399)}
TEXT = b"".join(LINES)
LEAST = sum(map(len, NEEDED))

#: The rates at which the bug is found: if it is there, and if it is not.
RATES = [(1.0, 0.0), (0.9, 0.0), (0.5, 0.0), (0.2, 0.0), (1.0, 0.01), (1.0, 0.05), (1.0, 0.1)]
RATES += [(1.0, 0.3), (0.5, 0.05)]

COLUMNS = (
    "finds it | and where it is not | how | genuine | not genuine | and without a word "
    "| 1-minimal, wrongly | no result | bytes | runs of the test"
)


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


def reduce(test: Flaky, runs: int | None) -> Reduced | None:
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
    """Minimize the list of lines by `nubbin.minimize`; return as `reduce`."""
    try:
        found = minimize(LINES, lambda lines: test(b"".join(lines)))
    except NubbinError:
        return None
    return Reduced(b"".join(found.kept), found.minimal, found.flaky)


HOW: dict[str, Callable[[Flaky], Reduced | None]] = {
    "default": partial(reduce, runs=None),
    "`--runs 1`": partial(reduce, runs=1),
    "`--runs 5`": partial(reduce, runs=5),
    "`minimize`": library,
}


def experiment(*, seeds: int = 20) -> Iterator[Table | str]:
    yield f"Of {len(TEXT):,} bytes, {LEAST} make the bug.\n"
    rows = (row(rate, false, how, seeds) for rate, false in RATES for how in HOW)
    yield Table(COLUMNS, rows, "rrlr")


def row(rate: float, false: float, how: str, seeds: int) -> list[object]:
    """Return the cells of a row: the results of one kind of reduction with all seeds."""
    tests = [Flaky(rate, false, seed) for seed in range(seeds)]
    results = [each for each in map(HOW[how], tests) if each is not None]
    wrong = [each for each in results if not genuine(each.data)]
    counts = (
        len(results) - len(wrong),
        len(wrong),
        sum(not each.flaky for each in wrong),
        sum(each.minimal and len(each.data) != LEAST for each in results),
        seeds - len(results),
    )
    sizes = [len(each.data) for each in results]
    size = f"{statistics.median(sizes):,.0f}" if sizes else "-"
    runs = f"{statistics.median(test.runs for test in tests):,.0f}"
    return [f"{rate:.0%}", f"{false:.0%}", how, *counts, size, runs]
