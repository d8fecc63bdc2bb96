"""Units: lists whose elements can be removed only in groups of equal length."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset
from nubbin_core.minimizers.bayesian.units import Units
from problems import Interesting, Trace, drive


def wanted_of(unit: int, groups: int, wanted: int, seed: int = 0) -> list[int]:
    """Return the elements of some groups."""
    some = Random(seed).sample(range(groups), wanted)
    return [unit * group + i for group in some for i in range(unit)]


def grouped(unit: int, groups: int, wanted: int, odd: int = 0, seed: int = 0) -> Interesting:
    """Accept whole groups only, some of them wanted; `odd` wanted elements follow the groups."""
    elements = Subset.of(
        [*wanted_of(unit, groups, wanted, seed), *range(unit * groups, unit * groups + odd)]
    )

    def interesting(kept: Subset) -> bool:
        bounds = (bound for run in kept.runs for bound in run)
        return elements <= kept and all(at % unit == 0 or at >= unit * groups for at in bounds)

    return interesting


def reduced(n: int, interesting: Interesting, *, proves: bool) -> Trace:
    return drive(ALGORITHMS["auto"](Subset.full(n), Settings(proves=proves)), interesting)


@pytest.mark.parametrize("proves", [True, False])
@pytest.mark.parametrize("unit", [2, 3, 7, 12])
def test_few_queries_find_the_unit_and_the_groups_that_have_to_be_kept(
    unit: int, proves: bool
) -> None:
    """Removing single elements would take a query for each of the 180 to 720."""
    found = [
        reduced(60 * unit, grouped(unit, 60, 3, seed=seed), proves=proves) for seed in range(3)
    ]
    good = [
        trace
        for trace in found
        if len(trace.kept) == 3 * unit and len(trace.queries) <= 75 + 3 * unit
    ]
    assert len(good) >= 2


def test_pairs_that_were_removed_in_fours_are_told_from_fours() -> None:
    """Of the last four, the pair that is not wanted can still be removed."""
    units = Units.start(Subset.full(60), Subset.full(60).without(20, 24))
    state = units._replace(unit=4, none=0.0)._swept(4)
    assert drive(state, grouped(2, 30, 3)).kept == Subset.of(wanted_of(2, 30, 3))


@pytest.mark.parametrize("unit", [3, 5])
def test_odd_elements_at_the_end_do_not_hide_the_unit(unit: int) -> None:
    interesting = grouped(unit, 60, 3, odd=1)
    assert len(reduced(60 * unit + 1, interesting, proves=False).kept) == 3 * unit + 1


@given(n=st.integers(60, 400), front=st.integers(0, 2), back=st.integers(0, 2))
@examples(20)
def test_a_unit_is_searched_for_after_odd_elements_were_removed_at_an_end(
    n: int, front: int, back: int
) -> None:
    """What was removed there says nothing of the length of groups."""
    whole = Subset.full(n)
    assert Units.start(whole, whole[front : n - back]).ask()


@given(essential=st.sets(st.integers(0, 199), min_size=2, max_size=20))
@examples(20)
def test_nothing_is_asked_about_units_if_single_elements_were_kept_apart(
    essential: set[int],
) -> None:
    kept = Subset.of({*essential, 50, 103, 120})
    assert not Units.start(Subset.full(200), kept).ask()


@given(
    unit=st.integers(1, 8),
    groups=st.integers(3, 30),
    wanted=st.integers(0, 3),
    odd=st.integers(0, 2),
    seed=st.integers(0, 99),
)
@examples(20)
def test_units_cost_what_they_may_ask_and_a_query_for_each_element_removed(
    unit: int, groups: int, wanted: int, odd: int, seed: int
) -> None:
    """Whatever the test accepts; `drive` checks each step."""
    n, accepts = unit * groups + odd, grouped(unit, groups, wanted, odd, seed)
    start = Units.start(Subset.full(n), Subset.full(n))
    state, asked = start, 0
    while not state.unit and (wave := state.ask()):
        state = state.tell(
            ((wave[0].kept.digest + seed) % 7 >= seed % 4 and accepts(wave[0].kept),)
        )
        asked += 1
    assert asked <= start.queries + n - len(state.kept)
    assert start.queries <= n / 6
    drive(start, accepts)


@pytest.mark.parametrize("alone", [True, False])
def test_the_account_runs_out_where_everything_is_rejected(alone: bool) -> None:
    """A larger one would have allowed more queries."""
    start = Units.start(Subset.full(2_000), Subset.full(2_000), alone=alone)
    for account in (start.queries, start.queries + 3):
        assert len(drive(start._replace(queries=account), lambda _: False).queries) == account


def test_the_chance_of_a_removal_is_its_share_of_all_lists() -> None:
    """Nothing was removed: by each hypothesis, draw lists, and count in how many it succeeds."""
    state = Units.start(Subset.full(48), Subset.full(48))
    (query,), rng, draws = state.ask(), Random(1), 40
    length = 48 - len(query.kept)
    accepted = 0.0
    for hypothesis, weight in state.weights.items():
        size, odd, density = hypothesis
        borders = {48, *range((48 - odd) % size, 48, size), 0}
        aligned = {48 - length, 48} <= borders
        yes = sum(
            aligned and all(rng.random() >= density for _ in range(length // size))
            for _ in range(draws)
        )
        accepted += weight * yes / draws
    chance = accepted / (state.none + sum(state.weights.values()))
    assert query.chance == pytest.approx(chance, abs=0.05)
