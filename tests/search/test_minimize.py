"""`nubbin.minimize` against sets it must find, at any width, with and without inference."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Collection, Iterator
from types import ModuleType
from typing import Any, assert_type

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nubbin
import nubbin_core
from examples import examples, mostly_nightly
from faults import PATIENCE_S
from nubbin_bench.studied import ONE_MINIMAL
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin_core.search.problem import CachedVerdict, Problem, VerdictCache
from nubbin_core.search.search import Search
from nubbin_core.verdict import Verdict

EVERYTHING = frozenset(range(8))
# Always finite, and small enough to brute-force: which subsets of 0..7 are interesting.
oracles = st.sets(st.frozensets(st.integers(0, 7), max_size=8), max_size=40).map(
    lambda interesting: interesting | {EVERYTHING}
)
algorithms = st.sampled_from(sorted(ALGORITHMS))


@st.composite
def short_lists(draw: st.DrawFn) -> tuple[int, set[frozenset[int]]]:
    """A number of elements, often 0, 1 or 2, and which of their subsets are interesting."""
    size = draw(st.one_of(st.integers(0, 2), st.integers(0, 7)))
    subset = st.frozensets(st.integers(0, size - 1)) if size else st.just(frozenset[int]())
    return size, draw(st.sets(subset, max_size=30)) | {frozenset(range(size))}


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
    assert found.queries == len(set(calls)) == len(found.history), "no query is made twice"
    assert found.runs == len(calls)
    assert calls[-12:] == [kept] * 12
    assert (found.flaky, found.reproduced) == (False, (12, 12))
    assert found.queries == sum(count.asked for count in found.by_kind.values())


@given(short_lists(), algorithms, st.booleans())
def test_minimal_means_that_every_single_removal_was_rejected(
    problem: tuple[int, set[frozenset[int]]], algorithm: str, inference: bool
) -> None:
    """So does the last element's, about which several algorithms never ask."""
    size, interesting = problem
    calls: list[frozenset[int]] = []

    def predicate(kept: list[int]) -> bool:
        calls.append(frozenset(kept))
        return calls[-1] in interesting

    found = nubbin.minimize(range(size), predicate, algorithm=algorithm, inference=inference)
    kept = frozenset(found.kept)
    assert kept in interesting
    removals = [kept - {element} for element in kept]
    all_rejected = all(removal in calls and removal not in interesting for removal in removals)
    assert found.minimal == all_rejected
    if algorithm in ONE_MINIMAL or inference or len(kept) == 1:
        assert found.minimal
    assert found.queries == len(set(calls))


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_the_last_element_goes_if_the_empty_list_is_interesting(algorithm: str, jobs: int) -> None:
    found = nubbin.minimize(range(5), lambda kept: True, algorithm=algorithm, jobs=jobs)
    assert (found.kept, found.minimal) == ([], True)


@pytest.mark.parametrize("elements", [[], [1], [1, 2, 3]])
@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_elements_that_are_not_interesting_are_told(elements: list[int], algorithm: str) -> None:
    calls: list[list[int]] = []

    def predicate(kept: list[int]) -> bool:
        calls.append(kept)
        return False

    with pytest.raises(ValueError, match="the elements as given are not interesting"):
        nubbin.minimize(elements, predicate, algorithm=algorithm)
    assert calls[-1] == elements
    assert calls.count(elements) == 1


@pytest.mark.parametrize("jobs", mostly_nightly([1, 2], [1]))
@pytest.mark.parametrize(("rate", "false"), [(0.9, 0.0), (1.0, 0.1), (0.9, 0.1)])
def test_a_flaky_predicate(rate: float, false: float, jobs: int) -> None:
    """Of 300 such results without being asked again, some 30 to 250 were wrongly called minimal."""
    noticed = wrong = 0
    for seed in range(50):
        rng = random.Random(seed)

        def predicate(kept: list[int], rng: random.Random = rng) -> bool:
            return rng.random() < (rate if {7, 8, 32} <= set(kept) else false)

        found = nubbin.minimize(range(40), predicate, jobs=jobs)
        noticed += found.flaky
        wrong += found.minimal and found.kept != [7, 8, 32]
        # One of twelve may have been made before: the best is run again after many rejections.
        assert found.flaky or found.reproduced in {(11, 11), (12, 12)}
    assert noticed > 25
    assert wrong <= 2


def test_a_predicate_that_is_flaky_beyond_use() -> None:
    answers = iter([True])
    with pytest.raises(nubbin.NubbinError, match="accepted the list in 0 of 60 runs only"):
        nubbin.minimize("ab", lambda kept: next(answers, False))


def test_a_predicate_may_change_what_it_is_given() -> None:
    def predicate(kept: list[int]) -> bool:
        found = 3 in kept
        kept.clear()
        return found

    assert nubbin.minimize(range(6), predicate).kept == [3]


def test_the_whole_list_is_asked_about_only_when_nothing_can_go() -> None:
    found = nubbin.minimize([1, 2], lambda kept: len(kept) == 2)
    assert (found.kept, found.minimal) == ([1, 2], True)
    assert (found.history[-1].kind, found.history[-1].size) == ("whole", 2)
    assert found.queries == len(found.history)
    less = nubbin.minimize([1, 2, 3], lambda kept: 1 in kept)
    assert "whole" not in less.by_kind


@pytest.mark.parametrize(
    "elements", [list("cab"), iter("cab"), deque("cab"), {1: "c", 2: "a", 3: "b"}.values()]
)
def test_any_iterable_in_order_is_a_list(elements: Collection[str] | Iterator[str]) -> None:
    found = nubbin.minimize(elements, lambda kept: "a" in kept)
    assert (found.kept, found.indices) == (["a"], (1,))


def test_of_a_text_a_text_is_left() -> None:
    seen: set[type] = set()

    def has_eed(text: str) -> bool:
        seen.add(type(text))
        return "eed" in text

    found = nubbin.minimize("a needle, hay", has_eed)
    assert (found.kept, found.indices) == ("eed", (3, 4, 5))
    assert seen == {str}
    assert nubbin.minimize("ab", lambda text: text == "ab").kept == "ab"
    data = nubbin.minimize(b"\x00\xff\x01", lambda data: b"\xff" in data, jobs=2)
    assert data.kept == b"\xff"


@pytest.mark.parametrize(
    ("elements", "message"),
    [({1, 2}, "sorted"), (frozenset("ab"), "sorted"), ({1: 2}, r"list\(mapping.items\(\)\)")],
)
def test_what_has_no_order_is_no_list(elements: Collection[object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        nubbin.minimize(elements, lambda kept: True)


def test_a_printed_result_fits_a_few_lines() -> None:
    found = nubbin.minimize([f"element {n}" for n in range(3000)], lambda kept: len(kept) > 2000)
    assert len(found.history) > 1000
    assert len(repr(found)) < 300
    assert repr(found).startswith("Minimization(kept=['element ")


@pytest.mark.parametrize("module", [nubbin, nubbin_core])
def test_dir_shows_what_can_be_imported(module: ModuleType) -> None:
    assert [name for name in dir(module) if not name.startswith("__")] == module.__all__
    for name in module.__all__:
        assert getattr(module, name).__name__ == name


@given(oracles, algorithms, st.integers(2, 5))
def test_any_width_takes_the_same_path(
    interesting: set[frozenset[int]], algorithm: str, jobs: int
) -> None:
    def run(jobs: int) -> nubbin.Minimization[list[int]]:
        return nubbin.minimize(
            range(8), lambda kept: frozenset(kept) in interesting, algorithm=algorithm, jobs=jobs
        )

    one, many = run(1), run(jobs)
    assert many.kept == one.kept
    assert many.minimal == one.minimal
    assert [(s.kind, s.size, s.verdict) for s in many.history] == [
        (s.kind, s.size, s.verdict) for s in one.history
    ]
    assert many.runs >= one.runs


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
    together = threading.Barrier(3, timeout=PATIENCE_S)
    first_calls = iter(range(3))

    def predicate(kept: list[int]) -> bool:
        if next(first_calls, None) is not None:
            together.wait()  # returns only when three calls are under way at once
        return 3 in kept

    assert nubbin.minimize(range(6), predicate, algorithm="linear", jobs=3).kept == [3]


def test_an_unresolved_answer_is_not_interesting() -> None:
    def predicate(kept: str) -> Verdict:
        return Verdict.INTERESTING if "b" in kept else Verdict.UNRESOLVED

    found = nubbin.minimize("abc", predicate)
    assert found.kept == "b"
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


async def later(kept: list[int]) -> bool:
    return False


def lazily(kept: list[int]) -> Iterator[bool]:
    yield False


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("predicate", [later, lazily, iter, lambda kept: kept.count])
def test_what_cannot_say_no_is_no_answer(predicate: Any, jobs: int) -> None:
    with pytest.raises(TypeError, match=r"returned .*, which is true whatever it would say"):
        nubbin.minimize(range(4), predicate, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_only_speculation_raises_is_nobodys_business(jobs: int) -> None:
    def predicate(kept: list[int]) -> bool:
        if kept == [2]:  # asked only if 0 could go, and it cannot
            raise RuntimeError("speculation")
        return 0 in kept

    assert nubbin.minimize(range(3), predicate, algorithm="linear", jobs=jobs).kept == [0]


def ended_at(call: int, error: Exception, by: str, **options: Any) -> Any:
    """Minimize 0..63 to 5 and 40, and raise an error at a call of one of the functions."""
    calls, improved = {"interesting": 0, "on_query": 0, "on_improved": 0}, [list(range(64))]

    def called(name: str) -> None:
        calls[name] += 1
        if name == by and calls[name] == call:
            raise error

    def interesting(kept: list[int]) -> bool:
        called("interesting")
        return {5, 40} <= set(kept)

    def on_improved(kept: list[int]) -> None:
        improved.append(kept)
        called("on_improved")

    found = nubbin.minimize(
        range(64),
        interesting,
        on_query=lambda answered: called("on_query"),
        on_improved=on_improved,
        **options,
    )
    assert found.kept == improved[-1] and {5, 40} <= set(found.kept)
    assert [*map(len, improved)] == sorted({*map(len, improved)}, reverse=True)
    assert (found.ended == "minimized") == bool(found.reproduced.runs)
    assert found.minimal or found.ended != "minimized"
    return found


@pytest.mark.parametrize("by", ["interesting", "on_query", "on_improved"])
@given(call=st.integers(1, 60), jobs=st.integers(1, 2))
@examples(20)
def test_any_function_stops_it_with_the_smallest_so_far(by: str, call: int, jobs: int) -> None:
    assert ended_at(call, nubbin.Stop(), by, jobs=jobs).ended in {"stopped", "minimized"}


@pytest.mark.parametrize("by", ["interesting", "on_query", "on_improved"])
def test_an_error_is_raised_and_one_of_the_predicate_stops_it_on_request(by: str) -> None:
    for options in [{}, {"on_error": "stop"}]:
        error = OSError()
        if options and by == "interesting":
            found = ended_at(3, error, by, **options)
            assert (found.ended, found.error, found.queries) == ("raised", error, 2)
        else:
            with pytest.raises(OSError):
                ended_at(3, error, by, **options)
    with pytest.raises(KeyboardInterrupt):
        ended_at(3, KeyboardInterrupt(), by, on_error="stop")  # type: ignore[arg-type]


@given(st.integers(0, 30))
@examples(20)
def test_a_budget_of_queries_keeps_the_smallest_so_far(most: int) -> None:
    found = ended_at(0, nubbin.Stop(), "", max_queries=most)
    assert found.queries <= most
    assert (found.ended == "max-queries") == (not found.minimal)


def test_no_call_begins_when_the_time_is_over() -> None:
    found = ended_at(0, nubbin.Stop(), "", max_time=1e-9)
    assert (found.ended, found.runs, len(found.kept)) == ("max-time", 0, 64)


def test_what_is_proved_is_minimal_although_its_last_calls_were_stopped() -> None:
    found = ended_at(0, nubbin.Stop(), "")
    stopped = ended_at(found.runs, nubbin.Stop(), "interesting")
    assert (stopped.kept, stopped.minimal, stopped.ended) == ([5, 40], True, "stopped")
    assert "minimal=True, flaky=False, ended='stopped'" in repr(stopped)


def test_without_repetition_only_the_result_is_run_again() -> None:
    found = ended_at(0, nubbin.Stop(), "", repetition=False)
    assert found.runs == found.queries + 1


@pytest.mark.parametrize("elements", [7, None, 0.5, object()])
def test_what_has_no_elements(elements: Collection[object]) -> None:
    with pytest.raises(TypeError, match=r"^elements are a list, a str or bytes, not "):
        nubbin.minimize(elements, bool)


@pytest.mark.parametrize("wrong", [None, "x", object()])
@pytest.mark.parametrize(
    "name",
    [
        *("interesting", "algorithm", "p0", "seed", "weights", "inference", "jobs", "repetition"),
        *("on_query", "on_improved", "max_queries", "max_time"),
    ],
)
def test_arguments_of_another_type(name: str, wrong: object) -> None:
    if (name, wrong) == ("algorithm", "x") or (wrong is None and name[:3] in {"on_", "max"}):
        return
    arguments = {"elements": [1, 2, 3], "interesting": bool, name: wrong}
    with pytest.raises(TypeError, match=rf"^{name} (is|are) "):
        nubbin.minimize(**arguments)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"algorithm": "magic"}, "no algorithm 'magic'; there are"),
        ({"weights": [1.0]}, "1 weights for 3 elements"),
        ({"p0": 1.5}, "between 0 and 1"),
        ({"jobs": 0}, "at least 1"),
        ({"on_error": "ignore"}, 'on_error is "raise" or "stop"'),
    ],
)
def test_arguments_that_make_no_sense(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nubbin.minimize([1, 2, 3], bool, **wrong)  # type: ignore[call-overload]


class Implausible(Problem[Subset]):
    def start(self) -> Minimizer:
        return ALGORITHMS["greedy"](Subset.full(3), Settings())

    def render(self, kept: Subset) -> Subset:
        return kept

    def key(self, candidate: Subset) -> int:
        return candidate.digest

    def is_plausible(self, kept: Subset, candidate: Subset) -> bool:
        return False


@pytest.mark.parametrize(("used", "left"), [(False, 3), (True, 2)])
def test_what_only_speculation_asked_opens_no_implausible_candidate(used: bool, left: int) -> None:
    """Or the result would depend on how much there was of it: on the number of workers."""
    recorded = CachedVerdict(Verdict.INTERESTING, 0.0, used=used)
    verdicts = VerdictCache({Subset.full(3).without(0, 1).digest: recorded})
    search: Search[Subset] = Search(lambda kept: Verdict.UNINTERESTING, verdicts=verdicts)
    outcome = search.minimize(Implausible())
    assert len(outcome.kept) == left


def test_the_type_of_a_result_is_known() -> None:
    """Of lambdas, too, whose arguments have no type."""
    assert_type(nubbin.minimize("hello", lambda kept: "l" in kept).kept, str)
    assert_type(nubbin.minimize(b"hello", lambda kept: b"l" in kept).kept, bytes)
    assert_type(nubbin.minimize(range(3), lambda kept: 1 in kept).kept, list[int])
    assert_type(nubbin.minimize(iter("abc"), lambda kept: "a" in kept).kept, list[str])
