"""Speculation: which queries may be next, and how likely is each?"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Set
from contextlib import suppress
from functools import cached_property
from typing import Any, Generic, TypeVar

from nubbin_core.in_line import Call, InLine
from nubbin_core.minimizers import Minimizer, Query
from nubbin_core.search.algorithm import AlgorithmError
from nubbin_core.search.problem import CachedVerdict, CandidateCache, Count, Problem
from nubbin_core.verdict import Verdict

P = TypeVar("P", bound=Problem[Any])

#: The answer to a query of a list if it is already known, else None.
KnownAnswer = Callable[[CandidateCache[P], Query], bool | None]

#: After a wave of several open queries, only this many of its likeliest outcomes are followed: each
#: costs a `tell`, and unlikely ones hardly ever come true.
_MAX_OUTCOMES_PER_WAVE = 4

#: The walk ends after this many states in a row without an open query: an algorithm may never end.
_MAX_KNOWN_STATES = 1_000

#: Speculation continues in the next list only if the end of this one is at least this likely: to
#: make a list takes as long as to make several candidates.
_MIN_END_PROBABILITY = 0.1

#: In most lists, nothing can be removed. Until the first success in a list, the odds of success are
#: 0.3 times the algorithm's (measured: record/scale.md); after it, they are the algorithm's.
_ODDS_BEFORE_SUCCESS = 0.3

T = TypeVar("T")


def success_chance(query: Query, by_kind: Mapping[str, Count]) -> float:
    """Return the probability that a query succeeds.

    The algorithm gives it, or else the success rate of its kind so far (Laplace's rule).
    """
    if query.chance is not None:
        return query.chance
    count = by_kind.get(query.kind, Count())
    return (count.succeeded + 1) / (count.asked + 2)


class SearchNode(Generic[P]):
    """A state of a minimizer in one list: the root of the decision tree of its later states.

    `ask` and `tell` are memoised, so that the tree below the node for an answer remains. `whole` is
    the number of elements that the list began with.
    """

    def __init__(self, candidates: CandidateCache[P], state: Minimizer, whole: int = 0):
        self.candidates = candidates
        self.state = state
        self._whole = whole or len(state.kept)
        self._after: dict[tuple[bool, ...], SearchNode[P]] = {}

    @classmethod
    def first(cls, problem: P) -> SearchNode[P]:
        """Return the first node of a list."""
        return cls(CandidateCache(problem), problem.start())

    @property
    def problem(self) -> P:
        """The list."""
        return self.candidates.problem

    @cached_property
    def wave(self) -> tuple[Query, ...]:
        """The queries of the state."""
        return self.state.ask()

    def tell(self, answers: tuple[bool, ...]) -> SearchNode[P]:
        """Return the node after these answers."""
        if answers not in self._after:
            after = self.state.tell(answers)
            self._after[answers] = SearchNode(self.candidates, after, self._whole)
        return self._after[answers]

    def chances(self, chance: Callable[[Query], float]) -> list[float]:
        """Return the probability of success of each query in the wave.

        This is the query's `chance`, corrected until the first success in the list.
        """
        odds = 1.0 if len(self.state.kept) < self._whole else _ODDS_BEFORE_SUCCESS
        return [odds * p / (1 - p + odds * p) for p in map(chance, self.wave)]

    @cached_property
    def beyond(self) -> SearchNode[P] | None:
        """The first node of the next list, if this one ends here; None after the last."""
        after = self.problem.after(self.state)
        return None if after is None else SearchNode.first(after)


def reachable(
    node: SearchNode[P], known: KnownAnswer[P], chance: Callable[[Query], float]
) -> Iterator[tuple[CandidateCache[P], Query]]:
    """Yield the open queries below a node; the likeliest to be needed is first.

    Walks the decision tree best first. Each state has a child for either answer to an open query,
    weighted by the query's `chance`; the end of a list leads to the next list. The first queries
    yielded are the node's own wave. Costs no query, and two `tell`s for each query yielded.
    """
    ties = itertools.count()
    heap = [(-1.0, next(ties), node)]
    seen: set[tuple[int, int]] = set()
    known_states = 0
    while heap and known_states < _MAX_KNOWN_STATES:
        weight, _, node = heapq.heappop(heap)
        known_states += 1
        with suppress(AlgorithmError):  # raised later, if the minimizer really reaches this state
            if not node.wave:
                likely = -weight >= _MIN_END_PROBABILITY and node.problem.may_look_ahead
                if likely and node.beyond is not None:
                    heapq.heappush(heap, (weight, next(ties), node.beyond))
                continue
            answers = [known(node.candidates, query) for query in node.wave]
            for query, answer in zip(node.wave, answers, strict=True):
                name = id(node.candidates), query.kept.digest
                if answer is None and name not in seen:
                    seen.add(name)
                    known_states = 0
                    yield node.candidates, query
            for part, outcome in _outcomes(node.chances(chance), answers):
                with suppress(AlgorithmError):
                    heapq.heappush(heap, (weight * part, next(ties), node.tell(outcome)))


def _outcomes(
    chances: list[float], answers: list[bool | None]
) -> list[tuple[float, tuple[bool, ...]]]:
    """Return the likeliest outcomes of a wave, each with its probability."""
    likeliest: list[tuple[float, tuple[bool, ...]]] = [(1.0, ())]
    for chance, answer in zip(chances, answers, strict=True):
        ways = [(1.0, answer)] if answer is not None else [(chance, True), (1 - chance, False)]
        grown = [(p * q, (*sofar, way)) for p, sofar in likeliest for q, way in ways]
        likeliest = heapq.nlargest(_MAX_OUTCOMES_PER_WAVE, grown, key=lambda grown: grown[0])
    return likeliest


class InFlight(Generic[T]):
    """Queries that a pool is running, by the key of their candidate.

    No list owns them: a query keeps running after the end of its list if another may need it.
    """

    def __init__(self, pool: InLine):
        self._pool = pool
        self._calls: dict[Hashable, Call[CachedVerdict]] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._calls

    def ask(self, key: Hashable, oracle: Callable[[T], Verdict], candidate: T) -> None:
        """Submit a candidate."""
        self._calls[key] = self._pool.submit(timed, oracle, candidate)

    def answers(self) -> Iterator[tuple[Hashable, CachedVerdict]]:
        """Wait until at least one query has its answer, and yield all answers there are."""
        if self._calls:
            self._pool.wait(self._calls.values())
        for key, call in list(self._calls.items()):
            if call.done():
                yield key, self._calls.pop(key).result()

    def stop_all_but(self, wanted: Set[Hashable]) -> None:
        """Stop all queries but these.

        If a worker cannot be stopped, it remains busy, and its answer is used.
        """
        for key in self._calls.keys() - wanted:
            if self._calls[key].cancel():
                del self._calls[key]

    def drop(self) -> None:
        """Stop all queries, and ignore their answers."""
        for call in self._calls.values():
            call.cancel()
        self._calls.clear()


def timed(oracle: Callable[[T], Verdict], candidate: T) -> CachedVerdict:
    """Run the oracle once. At module level, so that it can be pickled for another process."""
    started = time.perf_counter()
    try:
        verdict, error = oracle(candidate), None
    except Exception as raised:  # raised only if a minimizer needs the answer
        verdict, error = Verdict.UNRESOLVED, raised
    return CachedVerdict(verdict, time.perf_counter() - started, error)
