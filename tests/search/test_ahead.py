"""Beyond the end of a list: what is asked ahead of time, and that nobody can tell afterwards."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import PATIENCE_S
from nubbin.executors.threads import Threads
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.problem import Problem
from nubbin_core.search.search import Search
from nubbin_core.search.speculation import SearchNode, reachable, success_chance
from nubbin_core.verdict import Verdict

Numbers = frozenset[int]


@dataclass(frozen=True)
class Groups(Problem[Numbers]):
    """Numbers in groups of a size, any of which can go; then what is left in smaller groups."""

    numbers: Numbers
    sizes: tuple[int, ...]
    algorithm: str = "linear"
    doubtful: int = 0  # a bit for each set of numbers that is not worth a query of every other list

    @property
    def groups(self) -> list[list[int]]:
        left, size = sorted(self.numbers), self.sizes[0]
        return [left[at : at + size] for at in range(0, len(left), size)]

    def start(self) -> Minimizer:
        return ALGORITHMS[self.algorithm](Subset.full(len(self.groups)), Settings())

    def render(self, kept: Subset) -> Numbers:
        groups = self.groups
        return frozenset(number for index in kept for number in groups[index])

    def key(self, candidate: Numbers) -> Hashable:
        return candidate

    def is_plausible(self, kept: Subset, candidate: Numbers) -> bool:
        at = sum(1 << number for number in candidate)
        return len(self.sizes) % 2 == 1 or not self.doubtful >> at & 1

    def after(self, end: Minimizer) -> Groups | None:
        sizes = self.sizes[1:]
        return replace(self, numbers=self.render(end.kept), sizes=sizes) if sizes else None


def minimized(
    groups: Groups, interesting: Callable[[Numbers], bool], width: int
) -> list[tuple[object, ...]]:
    """Go through all lists; return every answer that was needed, and what came of each list."""
    told: list[tuple[object, ...]] = []

    def oracle(numbers: Numbers) -> Verdict:
        return Verdict.INTERESTING if interesting(numbers) else Verdict.UNINTERESTING

    with Threads(width) as pool:
        search = Search(oracle, pool=pool)
        problem: Groups | None = groups
        while problem is not None:
            outcome = search.minimize(
                problem,
                on_answered=lambda query, answer, _: told.append((query.kept, answer.verdict)),
            )
            told.append((problem.numbers, outcome.kept, outcome.minimal))
            problem = outcome.then
    return told


@given(
    st.frozensets(st.frozensets(st.integers(0, 5)), max_size=32),
    st.integers(0, 2**64 - 1),
    st.sampled_from(sorted(ALGORITHMS)),
    st.integers(2, 5),
)
def test_any_width_takes_the_same_path_through_all_lists(
    liked: frozenset[Numbers], doubtful: int, algorithm: str, width: int
) -> None:
    """What one list holds for not worth a query, the one before it may have asked."""
    groups = Groups(frozenset(range(6)), (3, 3, 2, 1, 1), algorithm, doubtful)
    one = minimized(groups, lambda numbers: numbers in liked, width=1)
    assert minimized(groups, lambda numbers: numbers in liked, width) == one


def test_idle_workers_ask_what_the_next_list_may_ask() -> None:
    together = threading.Barrier(3, timeout=PATIENCE_S)
    first_calls = iter(range(3))

    def interesting(numbers: Numbers) -> bool:
        if next(first_calls, None) is not None:
            together.wait()  # returns only when three calls are under way at once
        return numbers == {0, 1}

    # The first list has one question; all the others that follow are of the second.
    told = minimized(Groups(frozenset({0, 1}), (2, 1)), interesting, width=3)
    assert told[-1] == (frozenset({0, 1}), Subset.full(2), True)


class OneAnswer(Pool):
    """A worker that answers the first call, and others that never do."""

    def __init__(self) -> None:
        super().__init__(3)
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result(fn(*args, **kwargs))
        return self.futures[-1]


def test_what_the_next_list_may_ask_goes_on_until_the_end_of_the_search() -> None:
    workers = OneAnswer()
    search: Search[Numbers] = Search(
        lambda numbers: Verdict.UNINTERESTING,
        pool=workers,
        budget=Budget(max_queries=1),
    )
    outcome = search.minimize(Groups(frozenset({0, 1}), (2, 1)))
    assert [future.cancelled() for future in workers.futures] == [False, False, False]
    assert outcome.then is not None
    with pytest.raises(BudgetSpent):
        search.minimize(outcome.then)
    assert [future.cancelled() for future in workers.futures] == [False, True, True]


def test_the_next_wave_is_asked_on_the_merged_base_beside_the_merge() -> None:
    """A success proves the merge; no worker waits for it."""
    numbers = frozenset(range(80))
    node = SearchNode.first(Groups(numbers, (1,), algorithm="waves"))
    all_can_go = node.tell(tuple(True for _ in node.wave))
    (merge,) = all_can_go.wave
    after = all_can_go.tell((True,)).wave

    open_questions = reachable(all_can_go, lambda *_: None, lambda query: success_chance(query, {}))
    first = [query for _, query in itertools.islice(open_questions, 1 + len(after))]
    assert len(after) > 1
    assert first == [merge, *after]


def test_no_success_is_expected_before_the_first_in_a_list() -> None:
    untouched = SearchNode.first(Groups(frozenset(range(6)), (1,)))
    shorter = untouched.tell((True,))
    for node, expected in ((untouched, False), (shorter, True)):
        first, second = itertools.islice(reachable(node, lambda *_: None, lambda _: 0.6), 2)
        assert [first[1], second[1]] == [*node.wave, *node.tell((expected,)).wave]
