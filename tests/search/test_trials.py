"""The sequential test keeps the errors it promises, computed exactly."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_core.search.trials import Trials, sprt


def outcome(
    rate: float, original: float, wrong: float = 0.0, false_rejection: float = 0.1
) -> tuple[float, float]:
    """Return the chance that a candidate of a rate is accepted, and the runs that this takes."""
    under_way = {Trials(): 1.0}
    chance = runs = 0.0
    while under_way:
        following: dict[Trials, float] = defaultdict(float)
        for trials, weight in under_way.items():
            verdict = sprt(trials, original, wrong, false_rejection=false_rejection)
            if verdict is not None:
                chance += weight * verdict
                continue
            runs += weight
            following[trials.plus(True)] += weight * rate
            following[trials.plus(False)] += weight * (1 - rate)
        under_way = {trials: weight for trials, weight in following.items() if weight > 1e-9}
    return chance, runs


RATES = [1.0, 0.9, 0.5, 0.2, 0.1]


@pytest.mark.parametrize("original", RATES)
def test_what_is_as_good_is_accepted(original: float) -> None:
    chance, _ = outcome(original, original)
    assert chance >= 0.9


@pytest.mark.parametrize("original", RATES)
def test_what_is_far_worse_is_rejected(original: float) -> None:
    chance, _ = outcome(original / 4, original)
    assert chance <= 0.002


@pytest.mark.parametrize("original", RATES)
@pytest.mark.parametrize(("part", "accepted"), [(0.3, 0.002), (0.5, 0.021)])
def test_what_is_at_the_rate_of_wrong_answers_is_rejected(
    original: float, part: float, accepted: float
) -> None:
    """With a probability of 0.001, and up to 0.02 if it stays undecided for long."""
    assert outcome(original * part, original, original * part)[0] <= accepted
    assert outcome(original, original, original * part)[0] >= 0.9


@pytest.mark.parametrize("original", RATES)
def test_what_proves_is_rejected_with_a_greater_certainty(original: float) -> None:
    assert outcome(original, original, false_rejection=0.001)[0] >= 0.997


@pytest.mark.parametrize("original", RATES)
def test_the_better_the_likelier(original: float) -> None:
    chances = [outcome(original * part / 8, original)[0] for part in range(9)]
    assert chances == sorted(chances)
    assert chances[0] == 0


@pytest.mark.parametrize(
    ("original", "rejects", "accepts"), [(1.0, 1, 5), (0.9, 2, 8), (0.5, 5, 20), (0.2, 14, 60)]
)
def test_what_it_costs(original: float, rejects: int, accepts: int) -> None:
    """Runs for a candidate that never shows it, and on average for one that is as good."""
    assert outcome(0, original)[1] == pytest.approx(rejects)
    assert outcome(original, original)[1] <= accepts


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_holds_the_rate(yes: int, no: int) -> None:
    trials = Trials(yes, max(1, yes + no))
    low, high = trials.interval()
    assert 0 <= low <= trials.rate + 1e-9
    assert trials.rate - 1e-9 <= high <= 1
    assert high - low <= 4 / trials.runs**0.5


@given(st.lists(st.booleans(), min_size=1))
def test_evidence_adds_up(answers: list[bool]) -> None:
    trials = Trials()
    for answer in answers:
        trials = trials.plus(answer)
    assert trials == (sum(answers), len(answers))
    assert trials.agrees == (len(set(answers)) == 1)
