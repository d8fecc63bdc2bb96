"""Time and queries of a run only grow, and pauses do not count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.journal.recorded_run import Step, seconds_at, step_of
from nubbin.journal.run_facts import Session
from nubbin.journal.schema import Accepted

times = st.floats(0, 1e9)


def begun(session: Session) -> float:
    return session.begun


def steps_of(rows: list[Accepted], sessions: list[Session]) -> list[Step]:
    steps: list[Step] = []
    for last, each in zip([None, *rows], rows, strict=False):
        before = steps[-1] if steps else None
        steps.append(step_of(each, last, before, seconds_at(sessions, each.at)))
    return steps


def row(at: float, queries: int) -> Accepted:
    return Accepted(1, b"", at, queries, "chars", 10, b"")


def test_what_lies_between_parts_is_left_out() -> None:
    parts = [Session(100.0, 0.0), Session(1000.0, 50.0)]
    times = (90.0, 100.0, 120.0, 1000.0, 1010.0)
    assert [seconds_at(parts, at) for at in times] == [0, 0, 20, 50, 60]


def test_a_run_without_a_beginning_is_at_its_start() -> None:
    assert seconds_at([], 1e9) == 0.0


@given(
    st.lists(st.tuples(times, st.integers(0, 100))),
    st.lists(st.builds(Session, times, times)).map(lambda parts: sorted(parts, key=begun)),
)
def test_steps_only_grow(rows: list[tuple[float, int]], sessions: list[Session]) -> None:
    steps = steps_of([row(*each) for each in rows], sessions)
    assert [step.seconds for step in steps] == sorted(step.seconds for step in steps)
    assert [step.queries for step in steps] == sorted(step.queries for step in steps)


def test_queries_of_a_run_that_starts_over_are_counted_on() -> None:
    steps = steps_of([row(0.0, queries) for queries in (0, 10, 30, 5, 7)], [])
    assert [step.queries for step in steps] == [0, 10, 30, 35, 37]
