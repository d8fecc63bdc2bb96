"""The running example of Zhang et al. (ICSE 2025, Figure 1), executed for real."""

from __future__ import annotations

import pytest

from nubbin_bench.running_example import EVERYTHING, as_the_paper_draws, crashes, lines, subset
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset, is_minimal, is_monotone
from nubbin_core.minimizers.published.cdd import CDD
from nubbin_core.minimizers.published.probdd import ProbDD
from problems import drive


def test_ddmin_is_the_table() -> None:
    trace = drive(ALGORITHMS["ddmin"](EVERYTHING, Settings()), crashes)
    without = [
        [i for i in range(1, 9) if i not in gone] for gone in ([1, 2], [3, 4], [5, 6], [7, 8])
    ]
    singles = [[i] for i in range(1, 9)]
    chain = [1, 2, 3, 4, 6, 7, 8]
    assert [lines(query.kept) for query in trace.queries] == [
        *([1, 2, 3, 4], [5, 6, 7, 8]),
        *([1, 2], [3, 4], [5, 6], [7, 8], *without),
        *singles,
        *([i for i in range(1, 9) if i != gone] for gone in range(1, 6)),
        *([i for i in chain if i != gone] for gone in chain),
    ]
    assert trace.outcomes == "F" * 22 + "T" + "F" * 7
    assert lines(trace.kept) == chain
    assert trace.kinds == (
        ["half"] * 2
        + ["subset"] * 4
        + ["complement"] * 4
        + ["subset"] * 8
        + ["complement"] * 5
        + ["revisit"] * 4
        + ["complement"] * 3
    )


def test_probdd_is_the_table_given_the_papers_choices() -> None:
    drawn: list[int] = []

    def draw(members: Subset, count: int, step: int) -> Subset:
        drawn.append(count)
        chosen = as_the_paper_draws(members, count, step)
        assert chosen <= members
        return chosen

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
    trace = drive(CDD.start(EVERYTHING, Settings(p0=0.25)), crashes)
    assert [len(EVERYTHING) - len(query.kept) for query in trace.queries[:6]] == [4, 4, 2, 2, 2, 2]
    assert len(trace.queries) == 14
    assert trace.outcomes == "F" * 10 + "T" + "F" * 3
    assert lines(trace.kept) == [1, 2, 3, 4, 6, 7, 8]


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
    trace = drive(ALGORITHMS[name](EVERYTHING, Settings()), crashes)
    assert lines(trace.kept) == [1, 2, 3, 4, 6, 7, 8]
    assert len(trace.queries) == queries


def test_both_results_are_minimal_and_the_problem_is_not_monotone() -> None:
    assert is_minimal(crashes, subset(5, 8))
    assert is_minimal(crashes, subset(1, 2, 3, 4, 6, 7, 8))
    assert not is_monotone(crashes, EVERYTHING)  # l3 without l2 fails, and l5 with it
