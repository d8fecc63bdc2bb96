"""`nubbin.minimize` against sets it must find, at any width, with and without inference."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nubbin
from nubbin.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin.oracles.verdict import Verdict
from nubbin.search.problem import Problem
from nubbin.search.search import Search
from nubbin.search.verdicts import Record, Verdicts

# Always finite, and small enough to brute-force: which subsets of 0..7 are interesting.
oracles = st.sets(st.frozensets(st.integers(0, 7), max_size=8), max_size=40)
algorithms = st.sampled_from(sorted(ALGORITHMS))


@given(st.sets(st.integers(0, 99), min_size=1), algorithms)
def test_finds_the_one_minimal_set(essential: set[int], algorithm: str) -> None:
    found = nubbin.minimize(
        range(100), lambda kept: essential <= set(kept), algorithm=algorithm, p0=0.2
    )
    assert found.kept == list(found.indices) == sorted(essential)


@given(oracles)
def test_auto_ends_one_minimal_whatever_the_oracle(interesting: set[frozenset[int]]) -> None:
    calls: list[frozenset[int]] = []

    def predicate(kept: list[int]) -> bool:
        calls.append(frozenset(kept))
        return calls[-1] in interesting

    found = nubbin.minimize(range(8), predicate)
    kept = frozenset(found.kept)
    assert kept in interesting or kept == frozenset(range(8))
    assert found.minimal
    assert all(kept - {i} in calls and kept - {i} not in interesting for i in kept)
    assert max(Counter(calls).values(), default=0) <= 1, "no list is asked about twice"
    assert found.queries == len(calls) == len(found.history)
    assert found.queries == sum(count.asked for count in found.by_kind.values())


@given(oracles, algorithms, st.integers(2, 5))
def test_any_width_takes_the_same_path(
    interesting: set[frozenset[int]], algorithm: str, jobs: int
) -> None:
    def run(jobs: int) -> nubbin.Minimization[int]:
        return nubbin.minimize(
            range(8), lambda kept: frozenset(kept) in interesting, algorithm=algorithm, jobs=jobs
        )

    one, many = run(1), run(jobs)
    assert many.kept == one.kept
    assert many.minimal == one.minimal
    assert [(s.kind, s.size, s.verdict) for s in many.history] == [
        (s.kind, s.size, s.verdict) for s in one.history
    ]
    assert many.queries >= one.queries


@given(oracles, st.booleans())
def test_inference_never_costs_minimality(interesting: set[frozenset[int]], monotone: bool) -> None:
    def predicate(kept: list[int]) -> bool:
        if monotone:
            return any(small <= frozenset(kept) for small in interesting)
        return frozenset(kept) in interesting

    found = nubbin.minimize(range(8), predicate, algorithm="linear", inference=True)
    assert found.minimal
    kept = set(found.kept)
    assert not any(predicate(sorted(kept - {i})) for i in kept)


def test_speculation_runs_ahead_on_every_worker() -> None:
    together = threading.Barrier(3, timeout=600)
    first_calls = iter(range(3))

    def predicate(kept: list[int]) -> bool:
        if next(first_calls, None) is not None:
            together.wait()  # returns only when three calls are under way at once
        return 3 in kept

    assert nubbin.minimize(range(6), predicate, algorithm="linear", jobs=3).kept == [3]


def test_an_unresolved_answer_is_not_interesting() -> None:
    def predicate(kept: list[str]) -> Verdict:
        return Verdict.INTERESTING if "b" in kept else Verdict.UNRESOLVED

    found = nubbin.minimize("abc", predicate)
    assert found.kept == ["b"]
    assert found.minimal
    assert {step.verdict for step in found.history} == {Verdict.INTERESTING, Verdict.UNRESOLVED}


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_the_predicate_raises_reaches_the_caller_only_when_needed(jobs: int) -> None:
    def predicate(kept: list[int]) -> bool:
        if 0 not in kept:
            raise RuntimeError("no zero")
        return True

    with pytest.raises(RuntimeError, match="no zero"):
        nubbin.minimize(range(4), predicate, algorithm="linear", jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_only_speculation_raises_is_nobodys_business(jobs: int) -> None:
    def predicate(kept: list[int]) -> bool:
        if kept == [2]:  # asked only if 0 could go, and it cannot
            raise RuntimeError("speculation")
        return 0 in kept

    assert nubbin.minimize(range(3), predicate, algorithm="linear", jobs=jobs).kept == [0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"algorithm": "magic"}, "no algorithm 'magic'; there are"),
        ({"weights": [1.0]}, "1 weights for 3 elements"),
        ({"p0": 1.5}, "between 0 and 1"),
        ({"jobs": 0}, "at least 1"),
    ],
)
def test_arguments_that_make_no_sense(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nubbin.minimize([1, 2, 3], bool, **wrong)  # type: ignore[arg-type]


class Implausible(Problem[Subset]):
    def start(self) -> Minimizer:
        return ALGORITHMS["greedy"](Subset.full(3), Settings())

    def render(self, kept: Subset) -> Subset:
        return kept

    def key(self, kept: Subset, candidate: Subset) -> int:
        return kept.digest

    def plausible(self, kept: Subset, candidate: Subset) -> bool:
        return False


@pytest.mark.parametrize(("used", "left"), [(False, 3), (True, 2)])
def test_what_only_speculation_asked_opens_no_implausible_candidate(used: bool, left: int) -> None:
    """Or the result would depend on how much there was of it: on the number of workers."""
    verdicts = Verdicts()
    verdicts.add(Subset.full(3).without(0, 1).digest, Record(Verdict.INTERESTING, 0.0, used=used))
    search: Search[Subset] = Search(lambda kept: Verdict.UNINTERESTING, verdicts=verdicts)
    outcome = search.minimize(Implausible())
    assert len(outcome.kept) == left
