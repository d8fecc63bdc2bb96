"""Lithium within the bounds of Wang, "Analysis of Lithium's algorithm", constants included.

N elements, n = ceil(log2 N); M of them remain, m = ceil(log2 M), in C clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench.lithium_bounds import best, clustered, log2, monotone, prefix, quadratic, worst
from nubbin_core.minimizers import Settings, Subset
from nubbin_core.minimizers.published.lithium import Lithium
from problems import Needs, Problem, Trace, drive, problems, unique

Unique = tuple[int, frozenset[int]]


def run_lithium(size: int, interesting: Callable[[Subset], bool]) -> Trace:
    return drive(Lithium.start(Subset.full(size), Settings()), interesting)


@given(problem=problems)
@examples(200)
def test_no_problem_takes_more_than_the_worst_case(problem: Problem) -> None:
    size, interesting = problem
    trace = run_lithium(size, interesting)
    left = len(trace.kept)
    assert len(trace.queries) <= worst(size, left)
    if size & size - 1 == 0:
        assert len(trace.queries) >= best(size, left)


@given(problem=unique(st.integers(1, 200)))
@examples(80)
@example((64, frozenset(range(0, 64, 4))))
@example((64, frozenset(range(64))))
@example((64, frozenset({63})))
def test_a_monotone_problem_takes_no_more_than_its_bound(problem: Unique) -> None:
    size, essential = problem
    trace = run_lithium(size, Needs((essential,)))
    left, clusters = len(trace.kept), len(trace.kept.runs)
    assert len(trace.queries) <= monotone(size, left)
    assert len(trace.queries) <= clustered(size, left, clusters)


@pytest.mark.parametrize("essential", [{0, 4}, {0, 2, 4, 6}, {0, 1, 2, 3, 4, 5, 6}])
def test_the_monotone_bound_is_reached(essential: set[int]) -> None:
    trace = run_lithium(8, Needs((frozenset(essential),)))
    assert len(trace.queries) == monotone(8, len(essential))


@given(size=st.integers(1, 120), data=st.data())
def test_a_prefix_takes_no_more_than_its_bound(size: int, data: st.DataObject) -> None:
    left = data.draw(st.integers(1, size))
    trace = run_lithium(size, Needs((frozenset(range(left)),)))
    assert len(trace.queries) <= prefix(size, left)


@given(n=st.integers(1, 7), data=st.data())
def test_scattered_elements_nearly_need_the_bound(n: int, data: st.DataObject) -> None:
    """Wang's instance: every 2^(n-m)th element, and nothing else."""
    m = data.draw(st.integers(0, n))
    size, left = 2**n, 2**m
    trace = run_lithium(size, Needs((frozenset(range(0, size, size // left)),)))
    assert len(trace.queries) >= 2 * left * (n - m - 2)
    assert len(trace.queries) >= monotone(size, left) - 3 * left


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_quadratic_instance_is_quadratic(n: int) -> None:
    """Wang's segments, mirrored: as printed the second family goes from the front, in one pass."""
    size, half = 2**n, 2 ** (n - 1)

    def printed(kept: Subset) -> bool:
        return quadratic(size, Subset.of(size - 1 - i for i in kept))

    trace = run_lithium(size, partial(quadratic, size))
    assert len(trace.kept) == 1
    assert half * half // 2 - half < len(trace.queries) <= worst(size, 1)
    assert len(run_lithium(size, printed).queries) < 5 * size


@given(problem=unique(st.integers(1, 100)))
def test_filling_up_to_a_power_of_two_saves_little(problem: Unique) -> None:
    """The dummies at the end are a tail that always goes: Wang has C(2^n) - n <= C(N) <= C(2^n).

    More can be saved: where a size's only other chunk is of dummies, the first is not tried
    either; and a dummy that goes last makes the M attempts of the proof start again.
    """
    size, essential = problem
    full = 2 ** log2(size)
    assume(full > size)
    short = len(run_lithium(size, Needs((essential,))).queries)
    long = len(run_lithium(full, Needs((essential,))).queries)
    assert long - 2 * log2(size) - len(essential) <= short <= long
