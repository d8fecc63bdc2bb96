"""The floor under `auto`: when other algorithms take turns, and what it then costs at most."""

from __future__ import annotations

from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from hostile import WORST
from nubbin.minimizers import ALGORITHMS, Minimizer, Settings, Subset, is_minimal
from nubbin.minimizers.backward import Backward
from nubbin.minimizers.bayesian.hedged import HEDGES, Hedged
from nubbin.minimizers.bayesian.predictive import Predictive
from nubbin.minimizers.bayesian.trial import Trial
from nubbin.minimizers.published.lithium import Lithium
from problems import Interesting, Noise, Problem, drive, problems


def asked(state: Minimizer, interesting: Interesting) -> int:
    """Return the questions of a minimizer until its end."""
    count = 0
    while wave := state.ask():
        count += len(wave)
        state = state.tell(tuple(interesting(query.kept) for query in wave))
    return count


def turns(n: int, interesting: Interesting) -> list[tuple[Hedged, int]]:
    """Return the first state of each turn of `auto`, with its length.

    The first lap and the trial are turns too.
    """
    state, seen = ALGORITHMS["auto"](Subset.full(n), Settings()), []
    while wave := state.ask():
        assert isinstance(state, Hedged)
        seen.append(state)
        state = state.tell((interesting(wave[0].kept),))
    assert is_minimal(interesting, state.kept, 1)
    phases = groupby(seen, lambda s: (s.turn, s.account > 0, s.sweep is None))
    by_turn = (list(group) for _, group in phases)
    return [(group[0], len(group)) for group in by_turn]


@given(seed=st.integers(0, 2**32), size=st.integers(30, 80), odds=st.integers(2, 9))
@examples(20)
def test_the_floor_holds(seed: int, size: int, odds: int) -> None:
    """The theorem of docs/limits.md, with the subsets from which hedges really began."""
    interesting = Noise(size, odds, seed)
    first, *later = turns(size, interesting)
    n = len(later[0][0].kept) if later else 0
    begun = [state.kept for state, _ in later]
    cheapest = min(
        max((asked(start(kept, Settings()), interesting) for kept in begun), default=0)
        for start in HEDGES
    )
    spent = sum(length for _, length in later)
    assert spent <= (2 + 1 / 64) * n + 4 * len(HEDGES) * max(n, cheapest)
    assert first[0].turn == 0


def test_hedges_take_turns_when_the_account_is_spent() -> None:
    """Nine subsets of ten are refused: each lap finds a few elements more."""
    found = [each for each in turns(120, Noise(120, 12, 5)) if each[0].account]
    account = found[0][0].account
    assert found[0][1] == 2 * account
    assert len(found) > 2
    for (state, length), (after, _) in pairwise(found[1:]):
        assert length == account << (state.turn - 1) // len(HEDGES)
        assert after.turn == state.turn + 1
        assert after.kept <= state.kept
    assert [type(state.running) for state, _ in found[1:3]] == [
        type(start(Subset.full(9), Settings())) for start in HEDGES[: len(found[1:3])]
    ]


def pairs(kept: Subset) -> bool:
    """Neighbours go only together, and four elements of 256 not at all."""
    return not (kept.bounds % 2).any() and {60, 61, 200, 201} <= set(kept)


def test_a_trial_finds_what_goes_only_with_a_neighbour() -> None:
    """The sweep alone leaves nearly everything; Lithium goes on as long as it deletes something."""
    found = turns(256, pairs)
    (trial,) = (state.running for state, _ in found if state.sweep)
    assert isinstance(trial, Trial)
    assert trial.questions == len(trial.kept) // 64
    state = drive(ALGORITHMS["auto"](Subset.full(256), Settings()), pairs)
    assert set(state.kept) == {60, 61, 200, 201}
    assert len(state.queries) < 100


@given(problem=problems, questions=st.integers(0, 9))
@examples(50)
def test_a_trial_costs_what_it_is_allowed_and_a_question_for_each_deletion(
    problem: Problem, questions: int
) -> None:
    size, interesting = problem
    full = Subset.full(size)
    trial = Trial(Lithium.start(full, Settings()), questions)
    spent = asked(trial, interesting)
    state = drive(trial, interesting)
    assert spent <= questions + size - len(state.kept)


@given(problem=problems)
@examples(30)
def test_without_a_proof_there_is_no_hedge(problem: Problem) -> None:
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
        return Subset.of(size - 1 - i for i in kept)

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


def test_the_worst_problem_known_takes_less_than_ten_times_the_best() -> None:
    size = len(WORST.needs)
    best = min(asked(start(Subset.full(size), Settings()), WORST) for start in HEDGES[:-1])
    assert asked(ALGORITHMS["auto"](Subset.full(size), Settings()), WORST) < 10 * best
