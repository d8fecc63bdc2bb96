"""Algorithms side by side on the recorded oracles: in seconds, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nubbin.research import Algorithm
from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.conclusions import number, ratio
from nubbin_bench.lists import drive
from nubbin_bench.markdown import table
from nubbin_bench.recorded import FOLDER, Oracle, oracles
from nubbin_bench.studied import STUDIED
from nubbin_core.minimizers import LastElement, Settings, Start, Subset

#: What is compared by default.
DEFAULT = ("auto", "cdd", "probdd", "lithium", "ddmin")

#: What the page compares.
ON_THE_PAGE = (
    *("auto", "cdd-from-end", "lithium-from-end", "probdd-from-end", "ddmin-from-end"),
    *("cdd", "lithium", "probdd", "ddmin", "adaptive", "bisect", "opdd", "probdd-no-random"),
    *("ddmin-picire", "ddmin-artifact", "probdd-artifact", "cdd-artifact"),
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What an algorithm does on one problem: `left` are the elements that it keeps.

    `proved` are its queries and those that `linear` asks after it, until each removal was refused.
    """

    queries: int
    proved: int
    asks: int
    left: int
    seconds: float
    implied: int
    unknown: int


def replay(start: Start, oracle: Oracle) -> Replayed:
    """Run an algorithm on a recorded problem, with seed 0 and the p0 published for its suite.

    As in a reduction, the last element is asked about, too: else an algorithm that does so pays for
    it alone. Raises AlgorithmError if it breaks the contract.
    """
    about = oracle.about
    settings = Settings(about.p0)
    state, _ = drive(LastElement.of(start)(Subset.full(about.elements), settings), oracle)
    found = Replayed(
        len(oracle.asked),
        0,
        oracle.asks,
        len(state.kept),
        oracle.seconds,
        oracle.implied,
        oracle.unknown,
    )
    drive(LastElement.of(STUDIED["linear"])(state.kept, settings), oracle)
    return replace(found, proved=len(oracle.asked))


def compare(algorithms: Sequence[Algorithm], folder: Path = FOLDER) -> str:
    """Return a table: a row for each algorithm, and its queries over those of the first one."""
    rows, first, of = [], list[Replayed](), ""
    for algorithm in algorithms:
        problems = list(oracles(folder))
        start = algorithm.load()
        found = [replay(start, each) for each in problems]
        first = first or found
        defects = [each.about.defect for each in problems]
        over = [_over(name, defects, found, first) for name in ("queries", "proved")]
        of = number(over[0])
        sums = [
            sum(getattr(each, name) for each in found)
            for name in ("queries", "proved", "asks", "left", "seconds", "implied", "unknown")
        ]
        rows.append([algorithm.title, *(f"{each:,.0f}" for each in sums), *map(ratio, over)])
    head = ["queries", "proved", "with repeats", "left", "seconds", "implied", "unknown"]
    other = algorithms[0].title
    return table([f"{len(first)} problems", *head, f"queries over {other}", f"proved, {of}"], rows)


def over(one: Algorithm, other: Algorithm, folder: Path = FOLDER) -> str:
    """Return the proved queries of one algorithm over another's, in words."""
    defects = [each.about.defect for each in oracles(folder)]
    ours, theirs = ([replay(each.load(), o) for o in oracles(folder)] for each in (one, other))
    found = _over("proved", defects, ours, theirs)
    return f"{ratio(found)}, {number(found)}"


def held_out(algorithms: Sequence[Algorithm], folder: Path = FOLDER) -> str:
    """Return how well each recorded algorithm is replayed from what the others asked.

    So it is with an algorithm that was not there when the oracles were recorded.
    """
    rows = []
    for algorithm in algorithms:
        start = algorithm.load()
        whole = [replay(start, each) for each in oracles(folder)]
        without = [replay(start, each.without(algorithm.title)) for each in oracles(folder)]
        asked = [sum(each.queries for each in found) for found in (whole, without)]
        left = [sum(each.left for each in found) for found in (whole, without)]
        guessed = [sum(getattr(each, name) for each in without) for name in ("implied", "unknown")]
        figures = (*asked, *left, *guessed)
        rows.append([algorithm.title, *(f"{each:,}" for each in figures)])
    head = ["queries", "held out", "left", "held out", "implied", "unknown"]
    return table(["", *head], rows)


def _over(
    metric: str, defects: Sequence[str], found: Sequence[Replayed], first: Sequence[Replayed]
) -> Comparison:
    logs = [
        (defect, log_ratio(getattr(one, metric), getattr(other, metric)))
        for defect, one, other in zip(defects, found, first, strict=True)
    ]
    over = compared("one", "first", metric, "recorded", [logs])
    assert over is not None
    return over
