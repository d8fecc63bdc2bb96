"""The heaviest go first, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_core.minimizers import ALGORITHMS, Settings, Subset


def run(name: str, weights: list[float], essential: set[int]) -> tuple[Subset, int, int]:
    """Return what is kept, the queries, and after how many half of what can go has gone."""
    state = ALGORITHMS[name](Subset.full(len(weights)), Settings(weights=weights))
    can_go = sum(weight for i, weight in enumerate(weights) if i not in essential)
    asked, half = 0, 0
    while wave := state.ask():
        state = state.tell(tuple(essential <= set(query.kept) for query in wave))
        asked += len(wave)
        left = sum(weights[i] for i in state.kept if i not in essential)
        if not half and left <= can_go / 2:
            half = asked
    return state.kept, asked, half


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.data())
def test_the_result_is_the_same_whatever_the_weights(
    weights: list[float], data: st.DataObject
) -> None:
    essential = data.draw(st.sets(st.sampled_from(range(len(weights)))))
    assert set(run("heavy-first", weights, essential)[0]) == essential


@pytest.mark.nightly
def test_half_of_the_weight_goes_early_for_few_more_queries() -> None:
    late = most = early = asked = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        weights = rng.lognormal(0, 2, 500).tolist()
        essential = set(rng.choice(500, 20, replace=False).tolist())
        late += run("auto", weights, essential)[2]
        most += run("auto", weights, essential)[1]
        early += run("heavy-first", weights, essential)[2]
        asked += run("heavy-first", weights, essential)[1]
    assert early <= 0.25 * late
    assert asked <= 1.12 * most


def test_equal_weights_change_nothing() -> None:
    """Only `auto` asks whether the list without the result is interesting."""
    essential = set(range(3, 200, 17))
    kept, asked, half = run("heavy-first", [2.0] * 200, essential)
    assert run("auto", [2.0] * 200, essential) == (kept, asked + 1, half)
