"""The running example of Zhang et al. (ICSE 2025, Figure 1), executed for real."""

from __future__ import annotations

import sys
from functools import cache
from unittest import mock

import pytest

from nubbin.minimizers import ALGORITHMS, Settings, Subset, is_minimal, is_monotone
from nubbin.minimizers.cdd import CDD
from nubbin.minimizers.probdd import ProbDD
from problems import drive

PROGRAM = [
    "import math, sys",
    "input = sys.argv[1]",
    "a = int(input)",
    "b = math.e",
    "c = 3",
    "d = pow(b, a)",
    "c = math.log(d, b)",
    "crash(c)",
]
EVERYTHING = Subset.full(len(PROGRAM))


class Crash(Exception):
    """What the program's last line is there for."""


def crash(value: float) -> None:
    raise Crash(value)


@cache
def crashes(kept: Subset) -> bool:
    """Run the lines kept and tell whether they reach the crash, and fail nowhere before."""
    with mock.patch.object(sys, "argv", ["program", "3"]):
        try:
            exec("\n".join(PROGRAM[i] for i in kept), {"crash": crash})
        except Crash:
            return True
        except Exception:
            return False
    return False


def lines(kept: Subset) -> list[int]:
    """Number the lines from 1, as the paper does."""
    return [i + 1 for i in kept]


def subset(*lines: int) -> Subset:
    return Subset.of(line - 1 for line in lines)


def test_ddmin_is_the_table() -> None:
    run = drive(ALGORITHMS["ddmin"](EVERYTHING, Settings()), crashes)
    without = [
        [i for i in range(1, 9) if i not in gone] for gone in ([1, 2], [3, 4], [5, 6], [7, 8])
    ]
    singles = [[i] for i in range(1, 9)]
    chain = [1, 2, 3, 4, 6, 7, 8]
    assert [lines(query.kept) for query in run.queries] == [
        *([1, 2, 3, 4], [5, 6, 7, 8]),
        *([1, 2], [3, 4], [5, 6], [7, 8], *without),
        *singles,
        *([i for i in range(1, 9) if i != gone] for gone in range(1, 6)),
        *([i for i in chain if i != gone] for gone in chain),
    ]
    assert run.outcomes == "F" * 22 + "T" + "F" * 7
    assert lines(run.kept) == chain
    assert run.kinds == (
        ["half"] * 2
        + ["subset"] * 4
        + ["complement"] * 4
        + ["subset"] * 8
        + ["complement"] * 5
        + ["revisit"] * 4
        + ["complement"] * 3
    )


def test_probdd_is_the_table_given_the_papers_choices() -> None:
    choices = [
        subset(1, 4, 5, 8),
        subset(2, 3, 6, 7),
        subset(1, 5),
        subset(4, 8),
        *(subset(4), subset(5), subset(1), subset(8)),
    ]
    drawn: list[int] = []

    def draw(members: Subset, count: int, step: int) -> Subset:
        assert choices[step] <= members
        drawn.append(count)
        return choices[step]

    state = ProbDD.with_draw(EVERYTHING, 0.25, draw)
    outcomes, chances, sizes = "", [], []
    while wave := state.ask():
        (query,) = wave
        answer = crashes(query.kept)
        outcomes += "FT"[answer]
        sizes.append(len(state.kept) - len(query.kept))
        chances.append([p for p, _ in state.chosen])
        state = state.tell((answer,))
    assert outcomes == "FTFFTFTF"
    assert sizes == [4, 4, 2, 2, 1, 1, 1, 1]
    # The last draw of a group is all that is left of it, and no choice: the paper has it too.
    assert drawn == [4, 4, 2, 2, 1, 1, 1, 1]
    rounded = [[round(p, 2) for p in each] for each in chances]
    assert rounded == [[0.25], [0.25], [0.37], [0.37], [0.61], [0.61], [0.61], [0.61]]
    assert lines(state.kept) == [5, 8]


def test_cdd_takes_14_queries_and_keeps_the_chain() -> None:
    """Not what the paper says: its own contiguous partition does not lead to ProbDD's result."""
    run = drive(CDD.start(EVERYTHING, Settings(p0=0.25)), crashes)
    assert [len(EVERYTHING) - len(query.kept) for query in run.queries[:6]] == [4, 4, 2, 2, 2, 2]
    assert len(run.queries) == 14
    assert run.outcomes == "F" * 10 + "T" + "F" * 3
    assert lines(run.kept) == [1, 2, 3, 4, 6, 7, 8]


@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("greedy", 5 + 7),
        ("linear", 8 + 7),
        ("lithium", 2 + 4 + 5 + 7),
        ("opdd", 2 + 4 + 8),
    ],
)
def test_the_others_keep_the_chain_too(name: str, queries: int) -> None:
    run = drive(ALGORITHMS[name](EVERYTHING, Settings()), crashes)
    assert lines(run.kept) == [1, 2, 3, 4, 6, 7, 8]
    assert len(run.queries) == queries


def test_both_results_are_minimal_and_the_problem_is_not_monotone() -> None:
    assert is_minimal(crashes, subset(5, 8))
    assert is_minimal(crashes, subset(1, 2, 3, 4, 6, 7, 8))
    assert not is_monotone(crashes, EVERYTHING)  # l3 without l2 fails, and l5 with it
