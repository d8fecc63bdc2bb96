"""The predictor that knows which elements use which."""

from __future__ import annotations

import random
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import mostly_nightly
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset, Uses
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.by_use import ByUse
from nubbin_core.minimizers.bayesian.predictors import LENGTHS
from problems import Trace, drive


def made(used: list[list[int]]) -> Uses:
    """Return uses from the elements that each element uses."""
    return Uses([0, *accumulate(map(len, used))], [each for some in used for each in some])


@st.composite
def lists(draw: st.DrawFn) -> tuple[int, Uses, frozenset[int]]:
    """Draw n elements, which of them use which, and which are essential."""
    n = draw(st.integers(1, 60))
    elements = st.integers(0, n - 1)
    used = draw(st.lists(st.lists(elements, max_size=3), min_size=n, max_size=n))
    return n, made(used), draw(st.frozensets(elements))


@given(lists(), st.lists(st.integers(0, 8), max_size=12))
def test_it_is_a_distribution_after_any_runs(
    drawn: tuple[int, Uses, frozenset[int]], seen: list[int]
) -> None:
    n, uses, _ = drawn
    predictor = ByUse.prior(uses)
    for length in seen:
        if length < predictor.at:
            _, predictor = predictor.observed(length)
    survival = [predictor.survival(at) for at in range(len(LENGTHS))]
    assert survival[0] == pytest.approx(1)
    assert np.all(np.diff(survival) <= 1e-12)
    for at, m in enumerate(LENGTHS[:12]):
        told = sum(predictor.observed(length)[0] for length in range(min(m, predictor.at)))
        if m <= predictor.at:
            assert survival[at] == pytest.approx(1 - told, abs=1e-9)
        else:
            assert survival[at] == 0
    assert np.allclose([sum(each) for each in predictor.weights], 1)
    assert predictor.at == max(0, predictor.at) <= n


def swept(n: int, uses: Uses | None, essential: frozenset[int], *, proves: bool = False) -> Trace:
    settings = Settings(proves=proves, alone=False, uses=uses)
    state = ALGORITHMS["auto"](Subset.full(n), settings)
    return drive(state, lambda kept: essential <= set(kept))


@pytest.mark.parametrize("algorithm", ["auto", "heavy-first"])
@given(drawn=lists(), heavy=st.integers(1, 100))
def test_what_is_used_changes_the_questions_and_not_the_result(
    algorithm: str, drawn: tuple[int, Uses, frozenset[int]], heavy: int
) -> None:
    n, uses, essential = drawn
    settings = Settings(proves=False, alone=False, uses=uses, weights=[heavy, *[1] * (n - 1)])
    state = ALGORITHMS[algorithm](Subset.full(n), settings)
    assert set(drive(state, lambda kept: essential <= set(kept)).kept) == essential


@given(lists())
def test_a_proof_asks_the_same_with_and_without(
    drawn: tuple[int, Uses, frozenset[int]],
) -> None:
    n, uses, essential = drawn
    proved = (swept(n, each, essential, proves=True).queries for each in (uses, None))
    assert next(proved) == next(proved)


def program(n: int, seed: int) -> tuple[Uses, frozenset[int]]:
    """Return elements that use one or two shortly before them; what the last ten need stays."""
    rng = random.Random(seed)
    used: list[list[int]] = [[]]
    for i in range(1, n):
        near = range(max(0, i - 40), i)
        used.append(sorted({rng.choice(near) for _ in range(rng.choice((1, 1, 2)))}))
    essential = set(range(n - 10, n))
    for i in reversed(range(n)):
        essential |= set(used[i]) if i in essential else set()
    return made(used), frozenset(essential)


@pytest.mark.parametrize("seed", mostly_nightly(range(3), [0]))
def test_where_use_tells_what_has_to_stay_it_saves_a_fifth(seed: int) -> None:
    uses, essential = program(600, seed)
    assert 0.2 < len(essential) / 600 < 0.8
    told = len(swept(600, uses, essential).queries)
    untold = len(swept(600, None, essential).queries)
    assert told < untold * 0.8


@pytest.mark.parametrize("seed", mostly_nightly(range(3), [1]))
@pytest.mark.parametrize("density", [0.02, 0.2, 0.5])
def test_where_use_tells_nothing_it_costs_a_twentieth_at_most(seed: int, density: float) -> None:
    uses, _ = program(600, seed)
    rng = random.Random(seed + 10)
    essential = frozenset(i for i in range(600) if rng.random() < density)
    told = len(swept(600, uses, essential).queries)
    untold = len(swept(600, None, essential).queries)
    assert told <= 1.05 * untold + 5


@given(st.lists(lists(), min_size=1, max_size=4))
def test_what_it_learned_goes_from_list_to_list(
    several: list[tuple[int, Uses, frozenset[int]]],
) -> None:
    belief = Belief.prior(several[0][0])
    for n, uses, _ in several:
        belief = belief.as_prior(n).about(uses)
        for length in (0, 2, 0):
            belief = belief.observe(length)
        assert sum(belief.shares) == pytest.approx(1)
        assert len(belief.predictors) == 5
        assert np.all(np.diff([*map(belief.chance, LENGTHS)]) <= 1e-9)
    unknown = belief.as_prior(9)
    assert min(unknown.shares) >= 0.002
    assert np.all(np.diff([*map(unknown.chance, LENGTHS)]) <= 1e-9)
