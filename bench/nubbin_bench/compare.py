"""Algorithms side by side on the recorded oracles: in seconds, without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nubbin.minimizers import Minimizer, Settings, Subset
from nubbin.research import Algorithm
from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.conclusions import number, ratio
from nubbin_bench.lists import drive
from nubbin_bench.markdown import table
from nubbin_bench.recorded import FOLDER, Oracle, oracles

#: What is compared by default.
DEFAULT = ("auto", "cdd", "probdd", "lithium", "ddmin")

#: What the page compares.
ON_THE_PAGE = (
    *("auto", "cdd-from-end", "lithium-from-end", "probdd-from-end", "ddmin-from-end"),
    *("cdd", "lithium", "probdd", "ddmin", "adaptive", "bisect", "opdd", "probdd-no-random"),
    *("ddmin-picire", "ddmin-artifact", "probdd-artifact", "cdd-artifact"),
)


Start = Callable[[Subset, Settings], Minimizer]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What an algorithm does on one problem: `left` are the elements that it keeps."""

    queries: int
    asks: int
    left: int
    seconds: float
    implied: int
    unknown: int


def replay(start: Start, oracle: Oracle) -> Replayed:
    """Run an algorithm on a recorded problem, with seed 0 and the p0 published for its suite.

    Raises AlgorithmError if it breaks the contract.
    """
    about = oracle.about
    settings = Settings(about.p0)
    state, _ = drive(start(Subset.full(about.elements), settings), oracle)
    return Replayed(
        len(oracle.asked),
        oracle.asks,
        len(state.kept),
        oracle.seconds,
        oracle.implied,
        oracle.unknown,
    )


def compare(algorithms: Sequence[Algorithm], folder: Path = FOLDER) -> str:
    """Return a table: a row for each algorithm, and its queries over those of the first one."""
    rows, first = [], list[Replayed]()
    for algorithm in algorithms:
        problems = list(oracles(folder))
        start = algorithm.load()
        found = [replay(start, each) for each in problems]
        first = first or found
        over = _over([each.about.defect for each in problems], found, first)
        sums = [
            sum(getattr(each, name) for each in found)
            for name in ("queries", "asks", "left", "seconds", "implied", "unknown")
        ]
        cells = [f"{each:,.0f}" for each in sums]
        rows.append([algorithm.title, *cells, f"{ratio(over)}, {number(over)}"])
    head = ["queries", "with repeats", "left", "seconds", "implied", "unknown"]
    return table([f"{len(first)} problems", *head, f"queries over {algorithms[0].title}"], rows)


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
    defects: Sequence[str], found: Sequence[Replayed], first: Sequence[Replayed]
) -> Comparison:
    logs = [
        (defect, log_ratio(one.queries, other.queries))
        for defect, one, other in zip(defects, found, first, strict=True)
    ]
    over = compared("one", "first", "queries", "recorded", [logs])
    assert over is not None
    return over
