"""Which questions may come next, and how likely is each? The whole of speculation."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property

from nubbin.minimizers import Minimizer, Query, Subset

#: The answer to a query where it is already known, else None.
Known = Callable[[Query], bool | None]

#: A wave of several open questions is followed under its likeliest answers only; each costs
#: a `tell`, and the tree below an unlikely combination is hardly ever reached.
_FOLLOWED = 4


class Odds:
    """The chance of a yes: the algorithm's own, else the success rate of its kind so far."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._succeeded: Counter[str] = Counter()

    def learn(self, kind: str, interesting: bool) -> None:
        """Count one answer."""
        self._asked[kind] += 1
        self._succeeded[kind] += interesting

    def of(self, query: Query) -> float:
        """Return the probability that the query succeeds (Laplace's rule per kind)."""
        if query.chance is not None:
            return query.chance
        return (self._succeeded[query.kind] + 1) / (self._asked[query.kind] + 2)


class Remembered:
    """A minimizer's state that is asked and told only once, however often it is looked at.

    The tree of what may come is the same after an answer as before, from one of its branches on.
    """

    def __init__(self, state: Minimizer):
        self.state = state
        self._after: dict[tuple[bool, ...], Remembered] = {}

    @property
    def kept(self) -> Subset:
        """What the state keeps."""
        return self.state.kept

    @cached_property
    def _wave(self) -> tuple[Query, ...]:
        return self.state.ask()

    def ask(self) -> tuple[Query, ...]:
        """Return what the state asks."""
        return self._wave

    def tell(self, answers: tuple[bool, ...]) -> Remembered:
        """Return what the state becomes."""
        if answers not in self._after:
            self._after[answers] = Remembered(self.state.tell(answers))
        return self._after[answers]


def reachable(state: Minimizer, known: Known, odds: Odds) -> Iterator[Query]:
    """Yield the open questions below a state, likeliest to be needed first, without end.

    Walks the decision tree best first: from every state both answers of an open question
    lead on, weighted by its odds. The first questions yielded are the state's own wave. Costs
    no query and two `tell`s a question.
    """
    ties = itertools.count()
    heap: list[tuple[float, int, Minimizer]] = [(-1.0, next(ties), state)]
    seen: set[int] = set()
    while heap:
        weight, _, state = heapq.heappop(heap)
        wave = state.ask()
        if not wave:
            continue
        answers = [known(query) for query in wave]
        for query, answer in zip(wave, answers, strict=True):
            if answer is None and query.kept.digest not in seen:
                seen.add(query.kept.digest)
                yield query
        for chance, outcome in _outcomes([odds.of(query) for query in wave], answers):
            heapq.heappush(heap, (weight * chance, next(ties), state.tell(outcome)))


def _outcomes(
    chances: list[float], answers: list[bool | None]
) -> list[tuple[float, tuple[bool, ...]]]:
    """Return the likeliest ways a wave can turn out, each with its probability."""
    likeliest: list[tuple[float, tuple[bool, ...]]] = [(1.0, ())]
    for chance, answer in zip(chances, answers, strict=True):
        ways = [(1.0, answer)] if answer is not None else [(chance, True), (1 - chance, False)]
        grown = [(p * q, (*sofar, way)) for p, sofar in likeliest for q, way in ways]
        likeliest = heapq.nlargest(_FOLLOWED, grown, key=lambda grown: grown[0])
    return likeliest
