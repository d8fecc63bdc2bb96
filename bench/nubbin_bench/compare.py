"""Algorithms side by side on the recorded oracles: in seconds, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nubbin.minimizers import Settings, Subset
from nubbin.research import Algorithm
from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.conclusions import number, ratio
from nubbin_bench.lists import drive
from nubbin_bench.markdown import table
from nubbin_bench.recorded import FOLDER, Oracle, oracles

#: What is compared by default.
DEFAULT = ("auto", "cdd", "probdd", "lithium", "ddmin")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What an algorithm does on one problem: `left` are the elements that it keeps."""

    queries: int
    asks: int
    left: int
    seconds: float
    implied: int
    unknown: int


def replay(algorithm: Algorithm, oracle: Oracle) -> Replayed:
    """Run an algorithm on a recorded problem, with seed 0 and the p0 published for its suite.

    Raises AlgorithmError if it breaks the contract.
    """
    about = oracle.about
    settings = Settings(about.p0)
    state, _ = drive(algorithm.load()(Subset.full(about.elements), settings), oracle)
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
        found = [replay(algorithm, each) for each in problems]
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
