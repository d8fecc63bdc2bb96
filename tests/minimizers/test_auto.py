"""The floor under `auto`: when other algorithms take turns, and what it then costs at most."""

from __future__ import annotations

import math
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples, mostly_nightly
from limits.hostile import WORST, ratio
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset, is_minimal
from nubbin_core.minimizers.bayesian.auto import FALLBACKS, MANY_VIOLATIONS, Auto
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.wrappers import Backward
from problems import Interesting, Noise, Problem, drive, problems


def asked(state: Minimizer, interesting: Interesting) -> int:
    """Return the questions of a minimizer until its end."""
    count = 0
    while wave := state.ask():
        count += len(wave)
        state = state.tell(tuple(interesting(query.kept) for query in wave))
    return count


def without_rivals(n: int) -> Auto:
    return Auto.over(Predictive.start(Subset.full(n), Settings()))


def turns(n: int, interesting: Interesting) -> list[tuple[Auto, int]]:
    """Return the first state of each turn of `auto` without rivals, with its length.

    The first turn is the first lap, the second one the later laps.
    """
    state, seen = without_rivals(n), []
    while wave := state.ask():
        seen.append(state)
        state = state.tell((interesting(wave[0].kept),))
    assert is_minimal(interesting, state.kept, 1)
    phases = groupby(seen, lambda s: (s.turn, s.budget > 0))
    by_turn = (list(group) for _, group in phases)
    return [(group[0], len(group)) for group in by_turn]


@given(seed=st.integers(0, 2**32), size=st.integers(30, 80), odds=st.integers(2, 9))
@examples(20)
def test_the_floor_holds(seed: int, size: int, odds: int) -> None:
    """The theorem of record/limits.md, with the subsets from which fallbacks really began."""
    interesting = Noise(size, odds, seed)
    first, *later = turns(size, interesting)
    n = len(later[0][0].kept) if later else 0
    begun = [state.kept for state, _ in later]
    cheapest = min(
        max((asked(start(kept, Settings()), interesting) for kept in begun), default=0)
        for start in FALLBACKS
    )
    spent = sum(length for _, length in later)
    assert spent <= 4 * n + 4 * len(FALLBACKS) * max(n, cheapest)
    assert first[0].budget == 0


def test_fallbacks_take_turns_when_the_account_is_closed() -> None:
    """Nineteen subsets of twenty are rejected: each lap finds a few elements more."""
    found = [each for each in turns(120, Noise(120, 20, 5)) if each[0].budget]
    account = found[0][0].budget
    assert found[0][1] <= 4 * account
    assert len(found) > 2
    for (state, length), (after, _) in pairwise(found[1:]):
        assert length == account << (state.turn - 1) // len(FALLBACKS)
        assert after.turn == state.turn + 1
        assert after.kept <= state.kept
    assert [type(state.sweep) for state, _ in found[1:3]] == [
        type(start(Subset.full(9), Settings())) for start in FALLBACKS[: len(found[1:3])]
    ]


def groups(size: int, wanted: set[int]) -> Interesting:
    """Neighbours go only in whole groups, and the groups of some elements not at all."""
    return lambda kept: not any(bound % size for bound in kept.bounds) and wanted <= set(kept)


@pytest.mark.parametrize("size", mostly_nightly([2, 4, 8], [2]))
def test_what_goes_only_in_groups_takes_at_most_twice_what_lithium_takes(size: int) -> None:
    """The sweep alone would ask for every element."""
    n, spent = 1_000, {"auto": 0, "lithium": 0}
    rng = np.random.default_rng(3)
    for _ in range(4):
        interesting = groups(size, set(rng.choice(n, 3, replace=False).tolist()))
        found = {
            name: drive(ALGORITHMS[name](Subset.full(n), Settings()), interesting) for name in spent
        }
        assert found["auto"].kept == found["lithium"].kept
        spent = {name: spent[name] + len(found[name].queries) for name in spent}
    assert spent["auto"] <= 2 * spent["lithium"]


@pytest.mark.parametrize("least", [1, 2, 20])
@pytest.mark.parametrize("start", [0, 100, 241, 490])
def test_an_interval_takes_little_more_than_twice_its_proof_and_the_search_for_an_end(
    least: int, start: int
) -> None:
    """Any interval around some elements will do: nothing goes but at the ends of the list."""
    n, needed = 512, set(range(start, start + least))
    state = drive(
        ALGORITHMS["auto"](Subset.full(n), Settings()),
        lambda kept: len(kept.runs) == 1 and needed <= set(kept),
    )
    assert set(state.kept) == needed
    assert len(state.queries) <= 2 * (least + math.log2(n)) + 6


@given(problem=problems)
@examples(30)
def test_without_a_proof_there_is_no_fallback(problem: Problem) -> None:
    size, _ = problem
    settings = Settings(proves=False)
    assert isinstance(ALGORITHMS["auto"](Subset.full(size), settings), Predictive)


@pytest.mark.parametrize("name", ["adaptive", "lithium", "auto"])
@given(problem=problems, data=st.data())
@examples(30)
def test_backward_is_the_algorithm_on_the_reversed_list(
    name: str, problem: Problem, data: st.DataObject
) -> None:
    size, interesting = problem
    some = data.draw(st.sets(st.integers(0, size - 1)))

    def reversed_(kept: Subset) -> Subset:
        return Subset.of(max(some) - i for i in kept)

    there = drive(Backward.of(ALGORITHMS[name])(Subset.of(some), Settings()), interesting)
    here = drive(
        ALGORITHMS[name](reversed_(Subset.of(some)), Settings()),
        lambda kept: interesting(reversed_(kept)),
    )
    assert [query.kept for query in there.queries] == [reversed_(q.kept) for q in here.queries]
    assert there.kept == reversed_(here.kept)


def uses_before_definitions(n: int, wanted: int) -> Interesting:
    """Four of five elements need one of the fifty after them."""

    def interesting(kept: Subset) -> bool:
        held = set(kept)
        needs = (i + 1 + i * 37 % 50 for i in held if i % 5)
        return wanted in held and all(need in held or need >= n for need in needs)

    return interesting


def test_the_sweep_goes_on_from_the_end_that_pays() -> None:
    """From the end every second element can go, from the front whole runs."""
    n = 300
    assert (
        asked(ALGORITHMS["auto"](Subset.full(n), Settings()), uses_before_definitions(n, 40)) < 40
    )


def test_many_violations_close_the_account() -> None:
    """Fallbacks then take turns, although queries are left."""
    state, interesting = without_rivals(120), Noise(120, 3, 5)
    while state.violations < MANY_VIOLATIONS:
        before, (query,) = state, state.ask()
        state = state.tell((interesting(query.kept),))
    assert before.left > 1
    assert (before.turn, state.turn, state.left) == (0, 1, state.budget)


def test_the_worst_problem_known_takes_less_than_six_times_the_best() -> None:
    assert ratio(WORST, "auto")[0] < 6
