"""Queries in flight."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Set
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Generic, TypeVar

from nubbin.oracles.verdict import Verdict
from nubbin.search.verdict_cache import CachedVerdict
from nubbin.waiting import until

T = TypeVar("T")


class InFlight(Generic[T]):
    """Queries that an executor runs, by the key of their candidate: no list owns them.

    So a query outlives the list that asked it, as long as another may want its answer.
    """

    def __init__(self, oracle: Callable[[T], Verdict], executor: Executor):
        self._oracle = oracle
        self._executor = executor
        self._futures: dict[Hashable, Future[CachedVerdict]] = {}

    def __len__(self) -> int:
        return len(self._futures)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._futures

    def ask(self, key: Hashable, candidate: T) -> None:
        """Submit a candidate."""
        self._futures[key] = self._executor.submit(_timed, self._oracle, candidate)

    def answers(self) -> Iterator[tuple[Hashable, CachedVerdict]]:
        """Wait for an answer and yield all that have come; raises what the executor raises."""
        if not any(future.done() for future in self._futures.values()):
            until(lambda period: wait(self._futures.values(), period, FIRST_COMPLETED).done)
        for key, future in list(self._futures.items()):
            if future.done():
                yield key, self._futures.pop(key).result()

    def stop_all_but(self, wanted: Set[Hashable]) -> None:
        """Stop the queries that nobody wants any more.

        A worker that cannot be stopped stays busy: its answer is taken when it comes.
        """
        for key in self._futures.keys() - wanted:
            if self._futures[key].cancel():
                del self._futures[key]

    def drop(self) -> None:
        """Stop everything, and take no more answers."""
        for future in self._futures.values():
            future.cancel()
        self._futures.clear()


def _timed(oracle: Callable[[T], Verdict], candidate: T) -> CachedVerdict:
    """Ask the oracle once. At module level, so that it can travel to another process."""
    started = time.perf_counter()
    try:
        verdict, error = oracle(candidate), None
    except Exception as raised:  # raised only if a minimizer needs the answer
        verdict, error = Verdict.UNRESOLVED, raised
    return CachedVerdict(verdict, time.perf_counter() - started, error)
