"""Waves: many regions at once, and what happens when they depend on each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset


def run(n: int, interesting: Callable[[Subset], bool]) -> tuple[Subset, int, int]:
    """Return what is kept, the queries and the waves; check the proof on the way."""
    state = ALGORITHMS["waves"](Subset.full(n), Settings())
    asked, waves = 0, 0
    rejected: set[int] = set()
    while wave := state.ask():
        answers = tuple(interesting(query.kept) for query in wave)
        rejected.update(q.kept.digest for q, yes in zip(wave, answers, strict=True) if not yes)
        assert all(query.kept < state.kept for query in wave)
        state = state.tell(answers)
        asked, waves = asked + len(wave), waves + 1
    assert interesting(state.kept) or state.kept == Subset.full(n)
    assert rejected.issuperset(state.kept.digests_without_each()), (
        "each removal was really rejected"
    )
    return state.kept, asked, waves


def holding(members: np.ndarray) -> Callable[[Subset], bool]:
    return lambda kept: bool((np.searchsorted(kept.bounds, members, side="right") & 1).all())


@given(st.integers(0, 2**32), st.integers(1, 400))
@examples(20)
def test_finds_the_one_minimal_set(seed: int, m: int) -> None:
    members = np.sort(np.random.default_rng(seed).choice(400, m, replace=False))
    kept, _, _ = run(400, holding(members))
    assert list(kept) == members.tolist()


@given(st.integers(0, 2**32), st.floats(0, 0.5))
@examples(20)
def test_ends_one_minimal_when_successes_do_not_go_together(seed: int, rate: float) -> None:
    """Holes in the problem: a share of all subsets is rejected, always the same."""
    members = np.sort(np.random.default_rng(seed).choice(200, 10, replace=False))
    holds = holding(members)
    run(200, lambda kept: holds(kept) and hash((kept.digest, seed)) % 1000 >= 1000 * rate)


@given(st.integers(0, 2**32))
@examples(10)
def test_uses_go_before_what_they_need(seed: int) -> None:
    rng = np.random.default_rng(seed)
    needs = np.array([rng.integers(max(0, i - 30), i) if i else -1 for i in range(300)])

    def interesting(kept: Subset) -> bool:
        wanted = needs[list(kept)]
        wanted = wanted[wanted >= 0]
        return 0 in kept and bool((np.searchsorted(kept.bounds, wanted, side="right") & 1).all())

    assert list(run(300, interesting)[0]) == [0]


@pytest.mark.nightly
def test_few_waves_and_not_many_more_queries() -> None:
    members = np.sort(np.random.default_rng(3).choice(3_000, 90, replace=False))
    kept, asked, waves = run(3_000, holding(members))
    assert len(kept) == 90
    assert waves <= 60
    assert asked <= 900  # the benchmark, log2 C(N, M) + M, is 669
