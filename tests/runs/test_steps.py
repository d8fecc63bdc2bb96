"""Time and queries of a run only grow, and pauses do not count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.journal.run_facts import Session
from nubbin.journal.schema import Accepted
from nubbin.runs.steps import Clock, Steps

times = st.floats(0, 1e9)


def row(at: float, queries: int) -> Accepted:
    return Accepted(1, b"", at, queries, "chars", 10, b"")


def test_what_lies_between_parts_is_left_out() -> None:
    axis = Clock([Session(100.0, 0.0), Session(1000.0, 50.0)])
    assert [axis.seconds(at) for at in (90.0, 100.0, 120.0, 1000.0, 1010.0)] == [0, 0, 20, 50, 60]


def test_a_run_without_a_beginning_is_at_its_start() -> None:
    assert Clock([]).seconds(1e9) == 0.0


@given(
    st.lists(st.tuples(times, st.integers(0, 100))),
    st.lists(st.builds(Session, times, times)),
)
def test_steps_only_grow(rows: list[tuple[float, int]], sessions: list[Session]) -> None:
    steps, axis = Steps(), Clock(sessions)
    for each in rows:
        steps.add(row(*each), axis)
    assert [step.seconds for step in steps.all] == sorted(step.seconds for step in steps.all)
    assert [step.queries for step in steps.all] == sorted(step.queries for step in steps.all)


def test_queries_of_a_run_that_starts_over_are_counted_on() -> None:
    steps = Steps()
    for queries in (0, 10, 30, 5, 7):
        steps.add(row(0.0, queries), Clock([]))
    assert [step.queries for step in steps.all] == [0, 10, 30, 35, 37]
