"""A call that ends in the middle when its time is over."""

from __future__ import annotations

import cProfile
import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether
from nubbin_core.minimizers import Query, Subset
from nubbin_core.search import budget
from nubbin_core.search.budget import Budget, BudgetSpent, TimeIsOver, ended_when
from nubbin_core.search.problem import CachedVerdict
from nubbin_core.verdict import Verdict
from nubbin_core.waiting import run


def for_ever() -> None:
    while True:
        pass


def test_ends_what_would_never_end_in_whatever_thread() -> None:
    def ended() -> None:
        with pytest.raises(BudgetSpent, match="max-time"):
            Budget(max_time=0).limited(for_ever)

    ended()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(ended).result()


@pytest.mark.parametrize(
    ("answers", "first_s", "last_s"),
    [
        ([], 100.0, 100.0),
        ([(True, 1.0)], 95.0, 100.0),
        ([(True, 1.0), (False, 60.0)], 95.0, 100.0),
        ([(False, 60.0)], 90.0, 100.0),
        ([(False, 60.0), (True, 0.0)], 100.0, 100.0),
    ],
)
def test_a_little_of_the_time_is_kept_for_the_result(
    monkeypatch: pytest.MonkeyPatch,
    answers: list[tuple[bool, float]],
    first_s: float,
    last_s: float,
) -> None:
    at = [0.0]
    monkeypatch.setattr(Budget, "seconds", property(lambda _: at[0]))
    budget = Budget(max_time=100.0)
    for yes, seconds in answers:
        verdict = Verdict.INTERESTING if yes else Verdict.UNINTERESTING
        budget.count(Query(Subset.full(1), "any"), CachedVerdict(verdict, seconds))
    for at[0], over in ((first_s - 0.1, False), (first_s, True)):
        assert budget.is_over_for_queries == over
    for at[0], came in ((last_s - 0.1, "result"), (last_s, None)):
        assert budget.last(lambda: "result") == came


def test_a_command_that_would_never_end_is_killed(tmp_path: Path) -> None:
    with Tether(tmp_path) as tether:

        def command() -> None:
            # It waits for its input, so `run` has begun to watch it and kills it on any error.
            line = f"read go; exec 9>{tether.path}; echo up >&9; exec sleep 1000"
            run(["sh", "-c", line], b"go\n")

        with pytest.raises(TimeIsOver):
            ended_when(lambda: bool(tether.heard()), command, threading.RLock())
        tether.assert_cut()


def test_no_handler_of_errors_takes_it_for_one() -> None:
    def stubborn() -> None:
        while True:
            with suppress(Exception):
                for_ever()

    with pytest.raises(TimeIsOver):
        ended_when(lambda: True, stubborn, threading.RLock())


def test_what_is_shielded_comes_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_MAX_SHIELDED_S", PATIENCE_S)
    shield, over, looked = threading.RLock(), threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        with shield:
            over.set()
            looked.wait(PATIENCE_S)
            done.append("all")
        for_ever()

    def is_over() -> bool:
        if over.is_set():
            looked.set()
        return over.is_set()

    with pytest.raises(TimeIsOver):
        ended_when(is_over, work, shield)
    assert done == ["all"]


def test_nothing_arrives_after_the_end() -> None:
    over = threading.Event()
    assert ended_when(over.is_set, lambda: "result", threading.RLock()) == "result"
    over.set()
    for _ in range(100_000):
        gc.get_threshold()
    with pytest.raises(ZeroDivisionError):
        ended_when(lambda: False, lambda: 1 // 0, threading.RLock())


def test_a_race_of_the_end_with_the_time_has_one_of_two_outcomes() -> None:
    outcomes = set()
    for tries in range(300):
        over = threading.Event()

        def work(over: threading.Event = over, tries: int = tries) -> str:
            over.set()
            for _ in range(tries * 10):
                pass
            return "ended"

        try:
            outcomes.add(ended_when(over.is_set, work, threading.RLock()))
        except TimeIsOver:
            outcomes.add("over")
        for _ in range(1000):
            pass
    assert outcomes <= {"ended", "over"}


def test_leaves_nothing_behind_that_a_profiler_trips_over() -> None:
    """A thread whose error was taken back would hang in Python 3.11 at the next profiled call."""

    def work() -> str:
        return "result"

    profile = cProfile.Profile()
    for _ in range(3):
        assert profile.runcall(ended_when, lambda: False, work, threading.RLock()) == "result"
        with pytest.raises(TimeIsOver):
            profile.runcall(ended_when, lambda: True, for_ever, threading.RLock())
        profile.runcall(gc.get_threshold)
        profile.runcall(work)


def test_a_python_without_ctypes_ends_at_the_next_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    looked = threading.Event()

    def work() -> str:
        looked.wait(60)
        return "result"

    def is_over() -> bool:
        looked.set()
        return True

    assert ended_when(is_over, work, threading.RLock()) == "result"
    with pytest.raises(BudgetSpent, match="max-time"):
        Budget(max_time=0).check()
