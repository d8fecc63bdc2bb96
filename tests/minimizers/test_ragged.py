"""Ragged: lists whose elements can be removed only in groups of unequal lengths."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_core.minimizers import ALGORITHMS, Settings, Subset, is_minimal
from nubbin_core.minimizers.bayesian.ragged import Ragged
from problems import Interesting, drive


def records(shortest: int, longest: int, wanted: int, seed: int) -> tuple[list[int], Interesting]:
    """Return the borders of a hundred records and a test that accepts whole ones only."""
    rng = Random(seed)
    borders = [0, *accumulate(rng.randint(shortest, longest) for _ in range(100))]
    some = rng.sample(range(100), wanted)
    needed = Subset.of(i for at in some for i in range(borders[at], borders[at + 1]))
    at_border = set(borders)
    return borders, lambda kept: needed <= kept and at_border.issuperset(kept.bounds)


@pytest.mark.parametrize("proves", [True, False])
def test_most_of_the_records_that_nobody_wants_are_removed(proves: bool) -> None:
    """Single elements are all rejected."""
    left = []
    for seed in range(6):
        borders, interesting = records(2, 6, 3, seed)
        state = ALGORITHMS["auto"](Subset.full(borders[-1]), Settings(proves=proves))
        trace = drive(state, interesting)
        left.append(len(trace.kept) / borders[-1])
        assert len(trace.queries) < 2 * borders[-1]
    assert sorted(left)[3] < 0.25


@given(seed=st.integers(0, 99), wanted=st.integers(0, 9), odds=st.integers(1, 4))
@examples(20)
def test_it_asks_what_it_may_and_a_query_for_each_element_removed(
    seed: int, wanted: int, odds: int
) -> None:
    """Whatever the test accepts; `drive` checks each step."""
    borders, interesting = records(1, 5, wanted, seed)

    def noisy(kept: Subset) -> bool:
        return (kept.digest + seed) % odds == 0 and interesting(kept)

    start = Ragged.start(Subset.full(borders[-1]), Settings())
    trace = drive(start, noisy)
    assert len(trace.queries) <= start.queries + borders[-1] - len(trace.kept)
    assert start.queries <= borders[-1] / 6


def test_the_account_runs_out_where_everything_is_rejected() -> None:
    """A larger one would have allowed more queries."""
    start = Ragged.start(Subset.full(300), Settings())
    for account in (start.queries, start.queries + 3):
        assert len(drive(start._replace(queries=account), lambda _: False).queries) == account


def test_a_list_of_records_is_proved_after_it() -> None:
    borders, interesting = records(2, 5, 2, 7)
    kept = drive(ALGORITHMS["auto"](Subset.full(borders[-1]), Settings()), interesting).kept
    assert is_minimal(interesting, kept, 1)
