"""The query-optimal minimizer: its predictors, its belief, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset, learned
from nubbin_core.minimizers.bayesian.belief import Belief, fair_chance, roundest
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.predictors import (
    LENGTHS,
    Clustered,
    Few,
    Lengths,
    Predictor,
    Scattered,
)

runs = st.lists(st.integers(0, 30), max_size=12)
PRIORS = [
    lambda: Scattered.prior(400),
    lambda: Clustered.prior(400),
    Lengths.prior,
    lambda: Few.prior(400),
]


def after(predictor: Predictor, seen: list[int]) -> Predictor:
    for length in seen:
        _, predictor = predictor.observed(length)
    return predictor


@pytest.mark.parametrize("prior", PRIORS)
@given(seen=runs)
def test_survival_falls_from_one_as_the_likelihoods_say(prior, seen: list[int]) -> None:  # type: ignore[no-untyped-def]
    predictor = after(prior(), seen)
    survival = [predictor.survival(at) for at in range(len(LENGTHS))]
    assert np.all(np.diff(survival) <= 1e-12)
    assert survival[-1] >= -1e-12
    if isinstance(predictor, Few):
        return  # it may hold that nothing essential is left, or be refuted: not a distribution
    assert survival[0] == pytest.approx(1)
    for at, m in enumerate(LENGTHS[:16]):
        told = sum(predictor.observed(length)[0] for length in range(m))
        assert survival[at] == pytest.approx(1 - told, abs=1e-9)


@given(st.integers(2, 60), st.data())
def test_few_counts_places(n: int, data: st.DataObject) -> None:
    """Its prior says: k of n, all places alike. Checked by counting the places of one and two."""
    few = Few.of(n, (0.0, 0.5, 0.5, 0.0, 0.0))
    length = data.draw(st.integers(0, n - 2))
    one = 1 / n
    two = (n - length - 1) / math.comb(n, 2)
    chance, posterior = few.observed(length)
    assert chance == pytest.approx((one + two) / 2)
    assert posterior.left == n - length - 1
    assert posterior.weights[0] == pytest.approx(one / (one + two))
    assert posterior.weights[1] == pytest.approx(two / (one + two))


@given(st.integers(4, 5_000), st.lists(st.integers(0, 4_999), min_size=1, max_size=3, unique=True))
def test_few_culprits_are_found_in_as_many_questions_as_they_are_worth(
    n: int, places: list[int]
) -> None:
    essential = Subset.of(place % n for place in places)
    state: Minimizer = Predictive.start(Subset.full(n), Settings(belief=Belief.of_culprits()))
    asked = set()
    while wave := state.ask():
        asked |= {query.kept.digest for query in wave if query.kept}  # of nothing it is known
        state = state.tell(tuple(essential <= query.kept for query in wave))
    assert state.kept == essential
    k = len(essential)
    assert len(asked) <= math.log2(math.comb(n, k)) + 2 * k + 6


@given(runs)
def test_a_belief_is_its_predictors_weighted_by_what_they_foresaw(seen: list[int]) -> None:
    belief, trials = Belief.prior(400), np.array(Belief.prior(400).shares)
    predictors = belief.predictors
    for length in seen:
        chances, predictors = zip(*[p.observed(length) for p in predictors], strict=True)
        trials *= chances
        belief = belief.observe(length)
    if trials.sum() > 0:
        assert belief.shares == pytest.approx(trials / trials.sum(), abs=1e-4)


@given(runs, st.integers(0, 200), st.integers(1, 200), st.booleans(), st.integers(-9000, 9000))
def test_a_length_lies_where_it_must_and_is_fair_or_the_nearest(
    seen: list[int], gone: int, more: int, bounded: bool, border: int
) -> None:
    belief = Belief.prior(400)
    for length in seen:
        belief = belief.observe(length)
    bound = gone + more + 1 if bounded else 0
    length, chance = belief.next_length(gone, bound, gone + more, border)
    assert gone < length <= gone + more
    sure, never = belief.chance(gone), belief.chance(bound) if bound else 0.0
    if sure - never > 1e-6 * sure:

        def off(at: int) -> float:
            return abs((belief.chance(at) - never) / (sure - never) - 0.5)

        assert abs(chance - 0.5) == pytest.approx(off(length))
        nearest = min(off(at) for at in range(gone + 1, gone + more + 1))
        assert off(length) <= max(nearest, 0.1) + 1e-6
        # The shortest length of all is chosen only if it is the nearest.
        fair = [at for at in range(gone + 2, gone + more + 1) if off(at) < 0.1 - 1e-6]
        assert max(map(roundness, [border - at for at in fair]), default=0) <= roundness(
            border - length
        )


def roundness(number: int) -> float:
    """Return the highest power of two that divides the number."""
    return number & -number or math.inf


@given(st.integers(-300, 300), st.integers(0, 70))
def test_the_roundest_number_is_a_multiple_of_the_highest_power_of_two(lo: int, more: int) -> None:
    found = roundest(lo, lo + more)
    assert lo <= found <= lo + more
    assert roundness(found) == max(map(roundness, range(lo, lo + more + 1)))


def cost(n: int, essential: list[int]) -> int:
    """Return the queries that find the essential elements; none is answered twice."""
    members = np.sort(np.array(essential))
    state, asked = ALGORITHMS["auto"](Subset.full(n), Settings()), set()
    while wave := state.ask():
        (query,) = wave
        asked.add(query.kept)
        holds = (np.searchsorted(query.kept.bounds, members, side="right") & 1).all()
        state = state.tell((bool(holds),))
    assert list(state.kept) == members.tolist()
    return len(asked)


@pytest.mark.parametrize(
    ("n", "m", "slack"),
    [
        (1_000, 1, 1.6),
        (1_000, 10, 1.25),
        (1_000, 100, 1.06),
        pytest.param(10_000, 1_000, 1.04, marks=pytest.mark.nightly),
    ],
)
def test_scattered_elements_cost_little_more_than_their_entropy(
    n: int, m: int, slack: float
) -> None:
    rng = np.random.default_rng(7)
    times = max(1, 200 // m)
    spent = sum(cost(n, rng.choice(n, m, replace=False).tolist()) for _ in range(times))
    entropy = math.log2(math.comb(n, m)) + m
    assert spent <= slack * entropy * times


@pytest.mark.parametrize(("least", "most"), [(1, 24), (128, 152)])
def test_the_sweep_turns_to_what_a_success_has_unlocked(least: int, most: int) -> None:
    """Any suffix of at least so many elements will do: nothing can go but at the front."""
    n, asked = 256, set()
    state = ALGORITHMS["auto"](Subset.full(n), Settings())
    while wave := state.ask():
        kept = wave[0].kept
        asked.add(kept)
        state = state.tell((kept.runs == [(n - len(kept), n)] and len(kept) >= least,))
    assert state.kept.runs == [(n - least, n)]
    assert len(asked) <= most


@pytest.mark.parametrize("start", [0, 450, 900])
def test_a_block_is_proved_once_wherever_it_stands(start: int) -> None:
    assert cost(1_000, list(range(start, start + 100))) <= 100 + 4 * math.log2(1_000)


def test_everything_essential_is_barely_more_than_asking_each() -> None:
    # Twice for the sweep and its proof, as often for units, and eight at each end for other groups.
    assert cost(500, list(range(500))) <= 500 + 4 * math.log2(500) + 2 * 8


def test_a_million_elements() -> None:
    assert cost(1_000_000, list(range(5, 1_000_000, 10_000))) <= 1_700


def over_lists(sizes: list[int], density: float, *, carried: bool) -> tuple[int, float]:
    """Return what many lists cost together, and the entropy of their essentials with proofs."""
    rng = np.random.default_rng(11)
    spent, floor, belief = 0, 0.0, None
    bits = -density * math.log2(density) - (1 - density) * math.log2(1 - density)
    for n in sizes:
        essential = np.flatnonzero(rng.random(n) < density)
        settings = Settings(belief=belief if carried else None, alone=False)
        state = ALGORITHMS["auto"](Subset.full(n), settings)
        while wave := state.ask():
            spent += 1
            holds = np.searchsorted(wave[0].kept.bounds, essential, side="right") & 1
            state = state.tell((bool(holds.all()),))
        assert list(state.kept) == essential.tolist()
        belief = learned(state)
        floor += bits * n + len(essential)
    return spent, floor


@pytest.mark.nightly
def test_short_lists_teach_each_other() -> None:
    sizes = [5] * 300
    spent, floor = over_lists(sizes, 0.05, carried=True)
    alone, _ = over_lists(sizes, 0.05, carried=False)
    assert spent <= 1.2 * floor
    assert alone >= 1.3 * spent


def test_lists_that_hold_nothing_cost_a_query_each() -> None:
    rng = np.random.default_rng(2)
    spent, _ = over_lists(rng.integers(1, 40, 100).tolist(), 1e-9, carried=True)
    assert spent <= 105


@given(st.lists(st.tuples(runs, st.integers(0, 30)), max_size=6), st.integers(0, 500))
def test_a_carried_belief_is_a_distribution(lists: list[tuple[list[int], int]], n: int) -> None:
    belief = Belief.prior(40)
    for seen, rest in lists:
        for length in seen:
            belief = belief.observe(length)
        belief = belief.observe_censored(rest).as_prior(n)
    assert sum(belief.shares) == pytest.approx(1)
    assert min(belief.shares) >= 0.002  # nothing is ever ruled out for another list
    survival = [*map(belief.chance, LENGTHS)]
    assert np.all(np.diff(survival) <= 1e-9)
    assert 0 <= survival[-1] <= survival[0] <= 1 + 1e-9


def swept(n: int, interesting: Callable[[set[int]], bool], *, proves: bool) -> tuple[Subset, int]:
    """Return what the algorithm keeps of n elements, and after how many questions."""
    state, asked = ALGORITHMS["auto"](Subset.full(n), Settings(proves=proves)), 0
    while wave := state.ask():
        asked += len(wave)
        state = state.tell(tuple(interesting(set(query.kept)) for query in wave))
    return state.kept, asked


@given(st.sets(st.integers(0, 59)))
def test_one_round_finds_a_single_smallest_set(essential: set[int]) -> None:
    assert set(swept(60, essential.issubset, proves=False)[0]) == essential


def test_without_a_proof_nothing_is_asked_again_for_a_late_success() -> None:
    essential = set(range(60)) - {3}
    assert swept(60, essential.issubset, proves=False)[1] < 65
    assert swept(60, essential.issubset, proves=True)[1] > 65


def test_a_round_that_removes_most_is_followed_by_another() -> None:
    def interesting(kept: set[int]) -> bool:
        """Element 5 can go when little is left."""
        return 0 in kept and (5 in kept or len(kept) == 1)

    assert set(swept(60, interesting, proves=False)[0]) == {0}


@given(price=st.floats(0.01, 100), other=st.floats(0.001, 0.999))
def test_no_chance_tells_more_for_its_price_than_the_fair_one(price: float, other: float) -> None:
    def bits_for_price(chance: float) -> float:
        bits = -chance * math.log2(chance) - (1 - chance) * math.log2(1 - chance)
        return bits / (chance * price + 1 - chance)

    assert bits_for_price(fair_chance(price)) >= bits_for_price(other) - 1e-12
    assert fair_chance(1.0) == 0.5


@pytest.mark.parametrize("price", [30.0, 1 / 30])
@pytest.mark.parametrize("m", [10, 100])
def test_a_known_price_lowers_the_cost(price: float, m: int) -> None:
    essential = set(np.random.default_rng(m).choice(1000, m, replace=False).tolist())
    before, after = (
        cost_of(lambda kept: essential <= set(kept), 1000, price, declared)
        for declared in (1.0, price)
    )
    assert after < before


def cost_of(interesting: Callable[[Subset], bool], n: int, price: float, declared: float) -> float:
    """Return what `auto` costs, in rejected queries, if told that a price is `declared`."""
    state, cost = ALGORITHMS["auto"](Subset.full(n), Settings(price=declared)), 0.0
    while wave := state.ask():
        answer = interesting(wave[0].kept)
        state, cost = state.tell((answer,)), cost + (price if answer else 1.0)
    return cost
