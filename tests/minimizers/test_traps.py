"""Traps: lists on which one algorithm is quick and others are not; theorems 5 and 6."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from limits.hostile import Hostile
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset, is_minimal
from nubbin_core.minimizers.bayesian.auto import Auto
from nubbin_core.minimizers.wrappers import Backward
from problems import Noise, drive

#: The length of the lists, 2^h + 3, and what a trap costs but for O(log N); T^2 < N.
H, T = 8, 16
N = (1 << H) + 3
STARTS = {
    "adaptive": ALGORITHMS["adaptive"],
    "-adaptive": Backward.of(ALGORITHMS["adaptive"]),
    "lithium": ALGORITHMS["lithium"],
}


def of_adaptive(first: int) -> list[int]:
    """Return the order of a trap of adaptive, which asks for so many elements before."""
    lengths = [*range(6), *(4 + (1 << i) for i in range(1, H))]
    ends = [*(first + each for each in lengths if first + each < N), N]
    steps = (reversed(range(lo, hi)) for lo, hi in pairwise(ends))
    return [*(each for step in steps for each in step), *range(first)]


def traps() -> Iterator[tuple[str, list[int]]]:
    """Yield an algorithm and an order, in which each element needs the next, for each trap."""
    for t in range(1, T):
        order = of_adaptive(t)
        yield "adaptive", order
        yield "-adaptive", [N - 1 - each for each in order]
    for at in range(size := (4 << H) // T, 1 << H, size):
        yield "lithium", [*range(at, N), *range(at)]


def needing(order: list[int]) -> Hostile:
    """Return the test: the last element is wanted, and each needs the next."""
    needs = dict(pairwise(order)) | {order[-1]: order[-1]}
    return Hostile((order[-1],), tuple(needs[each] for each in range(N)))


def test_traps_are_cheap_for_their_own_algorithm_and_share_no_interesting_subset() -> None:
    """So some trap takes any algorithm as many questions as there are traps."""
    seen: set[frozenset[int]] = set()
    found = [*traps()]
    for name, order in found:
        state = drive(STARTS[name](Subset.full(N), Settings()), needing(order))
        assert len(state.queries) <= T + 4 * math.log2(N)
        assert list(state.kept) == order[-1:]
        seen.update(frozenset(order[:length]) for length in range(1, N))
    assert len(found) >= 9 / 4 * T - 4
    assert len(seen) == len(found) * (N - 1)


@pytest.mark.parametrize("trap", [0, 11, 29, -1])
def test_auto_takes_a_bounded_multiple_of_what_a_trap_takes(trap: int) -> None:
    """Without rivals it takes up to 160 times as many as the trap's own algorithm."""
    name, order = [*traps()][trap]
    own, found = (
        drive(start(Subset.full(N), Settings()), needing(order))
        for start in (STARTS[name], ALGORITHMS["auto"])
    )
    assert found.kept == own.kept
    assert len(found.queries) <= 30 * len(own.queries)


@given(seed=st.integers(0, 2**32), size=st.integers(20, 60), odds=st.integers(2, 9))
@examples(15)
def test_rivals_ask_what_the_sweep_has_paid_for(seed: int, size: int, odds: int) -> None:
    """Only one query is asked on credit, and no rival is a query ahead of another."""
    interesting = Noise(size, odds, seed)
    state = Auto.start(Subset.full(size), Settings())
    while wave := state.ask():
        assert isinstance(state, Auto)
        if costs := [rival.cost for rival in state.rivals.running]:
            assert state.rivals.earned > -max(1.0, math.log2(size) / 8)
            assert max(costs) <= min(costs) + 1
        state = state.tell((interesting(wave[0].kept),))
    assert is_minimal(interesting, state.kept, 1)


def test_rivals_wait_when_what_was_paid_is_spent() -> None:
    """One element can be removed, so the sweep pays a little for each proof; no rival ends."""
    n, needed, asked = 100, Subset.full(100).without(50, 51), 0
    state = Auto.start(Subset.full(n), Settings())
    while wave := state.ask():
        assert isinstance(state, Auto)
        asked += bool(state.rivals.ask())
        assert not state.rivals.ended
        assert asked <= 1 + n / 8
        state = state.tell((needed <= wave[0].kept,))
    assert asked


def test_a_subset_that_a_rival_found_is_proved() -> None:
    """The sweep ends with more elements, and the rival has not ended."""
    proved = 0
    for seed in range(60):
        interesting = Noise(16, 3, seed)
        state = Auto.start(Subset.full(16), Settings())
        while wave := state.ask():
            before, state = state, state.tell((interesting(wave[0].kept),))
            assert isinstance(before, Auto)
            assert isinstance(state, Auto)
            proved += (
                state.kept < before.sweep.kept and state.sweep.kept == state.kept != wave[0].kept
            )
        assert is_minimal(interesting, state.kept, 1)
    assert proved
