"""`nubbin.minimize`: all algorithms as one function, on any list."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar, overload

from nubbin.minimizers import LastElement, Minimizer, Query, Settings, Subset
from nubbin.oracles.verdict import Verdict
from nubbin.search.algorithm import Algorithm, Start
from nubbin.search.answered import Answered, KindCount
from nubbin.search.problem import Problem
from nubbin.search.search import Search
from nubbin.search.verdict_cache import CachedVerdict

E = TypeVar("E")
Text = TypeVar("Text", str, bytes)
#: The elements of a problem together: a list, a str or bytes.
Elements = TypeVar("Elements")


@dataclass(frozen=True, slots=True, repr=False)
class Minimization(Generic[Elements]):
    """What `minimize` found, and how.

    `kept` are the elements of the result in order, as the predicate got them, and `indices` their
    places in the input; `queries` counts the answers that the minimizer needed, `by_kind` counts
    them by kind, and `history` has them in order; `runs` counts the calls of the predicate, which
    with several jobs are more, for some are made ahead of need. `minimal` is True only when each
    single removal from `kept` was really tried and refused.
    """

    kept: Elements
    indices: tuple[int, ...]
    queries: int
    runs: int
    by_kind: dict[str, KindCount]
    minimal: bool
    history: tuple[Answered, ...]

    def __repr__(self) -> str:
        """Fit a line or two, however long the result and its history are."""
        return (
            f"Minimization(kept={reprlib.repr(self.kept)}, indices={reprlib.repr(self.indices)}, "
            f"queries={self.queries}, minimal={self.minimal})"
        )


@overload
def minimize(
    elements: Text,
    interesting: Callable[[Text], bool | Verdict],
    *,
    algorithm: str = ...,
    p0: float = ...,
    seed: int = ...,
    weights: Sequence[float] = ...,
    inference: bool = ...,
    jobs: int = ...,
    on_query: Callable[[Answered], None] | None = ...,
) -> Minimization[Text]: ...


@overload
def minimize(
    elements: Iterable[E],
    interesting: Callable[[list[E]], bool | Verdict],
    *,
    algorithm: str = ...,
    p0: float = ...,
    seed: int = ...,
    weights: Sequence[float] = ...,
    inference: bool = ...,
    jobs: int = ...,
    on_query: Callable[[Answered], None] | None = ...,
) -> Minimization[list[E]]: ...


def minimize(
    elements: Iterable[Any],
    interesting: Callable[[Any], bool | Verdict],
    *,
    algorithm: str = "auto",
    p0: float = 0.1,
    seed: int = 0,
    weights: Sequence[float] = (),
    inference: bool = False,
    jobs: int = 1,
    on_query: Callable[[Answered], None] | None = None,
) -> Minimization[Any]:
    """Find a small list of `elements` that is still `interesting`.

    `interesting` is called on lists of kept elements, in their order, and answers True or
    False, or a `Verdict`. Of a str or bytes, it gets what is left as a str or bytes. It should be
    deterministic; nothing is asked about twice. `elements` as given must be interesting. As in the
    literature, no query is spent on that, unless nothing else was interesting: then the last query
    is about all of them.

    `algorithm` is one of the names in docs/algorithms.md, that of an installed package's, or
    `FILE.py:CLASS` (docs/evaluation/new-algorithm.md); `"auto"` is the best there is and always
    ends 1-minimal. `p0` is the prior chance that an element is essential (ProbDD, CDD),
    `seed` starts every random choice, `weights` are sizes, one an element (weighted ddmin).
    With `inference`, queries whose answer follows if the problem is monotone are skipped,
    and the result is proved by real calls at the end. With `jobs` over 1, that many threads
    evaluate the likeliest next calls ahead of time: the result is the same, and a predicate
    that waits for another process gains. `on_query` is called with every needed answer.

    Costs the queries that the algorithm documents, and one more when a single element is left and
    the algorithm never asked about none at all, or when nothing can be removed. Raises ValueError
    for arguments that make no sense and for elements that are not interesting, TypeError for a set
    or a mapping, NubbinError for an algorithm of somebody else that cannot be loaded or breaks the
    contract of minimizers, and whatever `interesting` raises on a call that the algorithm needs.
    """
    whole = _in_order(elements)
    start = LastElement.of(Algorithm.named(algorithm).load())
    if weights and len(weights) != len(whole):
        raise ValueError(f"{len(weights)} weights for {len(whole)} elements")
    if not 0 < p0 < 1:
        raise ValueError(f"p0 is a probability between 0 and 1, not {p0}")
    if jobs < 1:
        raise ValueError(f"jobs is at least 1, not {jobs}")

    history: list[Answered] = []

    def note(query: Query, answer: CachedVerdict, *_: object) -> None:
        answered = Answered(query.kind, len(query.kept), answer.verdict, answer.seconds)
        history.append(answered)
        if on_query:
            on_query(answered)

    def oracle(candidate: Any) -> Verdict:
        answer = interesting(candidate)
        if isinstance(answer, Verdict):
            return answer
        return Verdict.INTERESTING if answer else Verdict.UNINTERESTING

    settings = Settings(p0, seed, weights)
    problem = _Elements(whole, start, settings)
    pool = ThreadPoolExecutor(jobs) if jobs > 1 else nullcontext()
    with pool as executor:
        search = Search(oracle, executor=executor, width=lambda: jobs, on_answered=note)
        outcome = search.minimize(problem, inference=inference)
    runs = len(search.verdicts)
    if len(outcome.kept) == len(whole):
        started = time.perf_counter()
        verdict = oracle(problem.render(outcome.kept))
        runs += 1
        last = Query(outcome.kept, "whole")
        search.by_kind.setdefault(last.kind, KindCount()).add(verdict)
        note(last, CachedVerdict(verdict, time.perf_counter() - started))
        if verdict is not Verdict.INTERESTING:
            raise ValueError(
                "the elements as given are not interesting, and neither is any part of them that "
                "was tried: call the predicate on the whole list, and see why it says no"
            )
    return Minimization(
        kept=problem.render(outcome.kept),
        indices=tuple(outcome.kept),
        queries=len(history),
        runs=runs,
        by_kind=search.by_kind,
        minimal=outcome.minimal,
        history=tuple(history),
    )


def _in_order(elements: Iterable[Any]) -> list[Any] | str | bytes:
    """Return elements that can be cut; raises TypeError for those without an order."""
    if isinstance(elements, Mapping):
        raise TypeError("a mapping is no list of elements: give list(mapping.items())")
    if isinstance(elements, Set):
        raise TypeError("elements are kept in their order, and a set has none: give sorted(...)")
    return elements if isinstance(elements, str | bytes) else list(elements)


@dataclass(frozen=True, slots=True)
class _Elements(Problem[Any]):
    """The elements of a list, the characters of a str, or bytes."""

    elements: list[Any] | str | bytes
    algorithm: Start
    settings: Settings

    def start(self) -> Minimizer:
        everything = Subset.full(len(self.elements))
        return self.algorithm(everything, self.settings)

    def render(self, kept: Subset) -> list[Any] | str | bytes:
        parts: Iterator[Any] = (self.elements[start:stop] for start, stop in kept.runs)
        if isinstance(self.elements, list):
            return list(chain.from_iterable(parts))
        return self.elements[:0].join(parts)

    def key(self, kept: Subset, candidate: object) -> int:
        return kept.digest
