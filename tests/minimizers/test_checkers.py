"""The checkers against the definitions spelt out on Python's sets."""

from __future__ import annotations

from itertools import chain, combinations, combinations_with_replacement

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import Settings, Subset, is_clustered, is_minimal, is_monotone
from nubbin_core.minimizers.published.exhaustive import Exhaustive
from problems import Needs, Noise, Problem, drive, monotone, noisy, problems


def subsets(size: int) -> list[frozenset[int]]:
    """All subsets of 0..size-1."""
    every = chain.from_iterable(combinations(range(size), count) for count in range(size + 1))
    return [frozenset(some) for some in every]


@given(problem=problems, n=st.integers(1, 4))
@examples(60)
def test_minimal_is_what_the_definition_says(problem: Problem, n: int) -> None:
    size, interesting = problem
    assume(size <= 8)
    everything = Subset.full(size)
    smaller = [s for s in subsets(size) if s and len(s) < size and interesting(Subset.of(s))]
    assert is_minimal(interesting, everything) == (not smaller)
    assert is_minimal(interesting, everything, n) == all(size - len(s) > n for s in smaller)


@given(problem=st.one_of(monotone(), noisy()))
@examples(60)
def test_monotone_is_what_the_definition_says(problem: Problem) -> None:
    size, interesting = problem
    assume(size <= 6)
    all_of = subsets(size)
    said = {s: interesting(Subset.of(s)) for s in all_of}
    expected = all(
        said[large] for small in all_of if said[small] for large in all_of if small <= large
    )
    assert is_monotone(interesting, Subset.full(size)) == expected


@given(problem=monotone())
@examples(40)
def test_a_monotone_problem_is_minimal_as_soon_as_it_is_1_minimal(problem: Problem) -> None:
    size, interesting = problem
    assume(size <= 8)
    assert is_monotone(interesting, Subset.full(size))
    for some in map(Subset.of, subsets(size)):
        if interesting(some):
            assert is_minimal(interesting, some, 1) == is_minimal(interesting, some)


def test_a_problem_can_be_1_minimal_and_not_2_minimal() -> None:
    """Brackets: both go or neither does."""

    def interesting(kept: Subset) -> bool:
        return 2 in kept and (0 in kept) == (1 in kept)

    everything = Subset.full(3)
    assert is_minimal(interesting, everything, 1)
    assert not is_minimal(interesting, everything, 2)
    assert not is_monotone(interesting, everything)


@given(problem=problems, n=st.integers(1, 4))
@examples(80)
def test_exhaustive_ends_n_minimal(problem: Problem, n: int) -> None:
    size, interesting = problem
    assume(size <= 9)
    trace = drive(Exhaustive.up_to(n)(Subset.full(size), Settings()), interesting)
    assert interesting(trace.kept)
    assert is_minimal(interesting, trace.kept, n)


@given(size=st.integers(1, 8), n=st.integers(1, 8))
def test_exhaustive_asks_every_removal_once_of_what_stays(size: int, n: int) -> None:
    trace = drive(
        Exhaustive.up_to(n)(Subset.full(size), Settings()), Needs((frozenset(range(size)),))
    )
    expected = [s for s in subsets(size) if s and size - n <= len(s) < size]
    assert sorted(map(tuple, trace.asked)) == sorted(tuple(sorted(s)) for s in expected)
    assert [len(asked) for asked in trace.asked] == sorted(map(len, trace.asked), reverse=True)


def test_exhaustive_finds_a_minimum_that_pairs_hide() -> None:
    """With n as large as the list the result is minimal whatever the problem."""
    interesting = Noise(7, 3, seed=5)
    trace = drive(Exhaustive.up_to(7)(Subset.full(7), Settings()), interesting)
    assert is_minimal(interesting, trace.kept)


def test_the_empty_subset_never_counts() -> None:
    assert is_minimal(lambda kept: not kept, Subset.full(2))
    assert is_minimal(lambda kept: not kept, Subset.full(2), 2)


@pytest.mark.parametrize("n", [0, -1])
def test_n_is_at_least_1(n: int) -> None:
    with pytest.raises(ValueError, match="n >= 1"):
        is_minimal(bool, Subset.full(2), n)
    with pytest.raises(ValueError, match="n >= 1"):
        Exhaustive.up_to(n)


@given(kept=st.frozensets(st.integers(0, 6)), clusters=st.integers(1, 4))
@examples(60)
def test_clustered_is_what_the_definition_says(kept: frozenset[int], clusters: int) -> None:
    intervals = [set(range(i, j)) for i, j in combinations(range(8), 2)]
    unions = (set().union(*some) for some in combinations_with_replacement(intervals, clusters))
    assert is_clustered(Subset.of(kept), clusters) == any(union == kept for union in unions)


def test_no_subset_is_clustered_in_no_cluster() -> None:
    with pytest.raises(ValueError, match="C >= 1, not 0"):
        is_clustered(Subset.full(3), 0)
