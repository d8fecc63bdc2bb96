"""`nubbin.minimize`: all algorithms as one function, on any list."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, overload

from nubbin.answer import Answer
from nubbin.argument_types import checked
from nubbin.executors.in_line import InLine
from nubbin.minimizers import EMPTY, LastElement, Minimizer, Query, Settings, Subset
from nubbin.search.algorithm import Algorithm, Start
from nubbin.search.confirmation import confirm
from nubbin.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin.search.problem import Problem
from nubbin.search.search import OnAnswered, Search
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import Answered, CachedVerdict, Count
from nubbin.verdict import Verdict, truth_of

E = TypeVar("E")
Text = TypeVar("Text", str, bytes)
E_co = TypeVar("E_co", covariant=True)
#: The elements of a problem together: a list, a str or bytes.
Elements = TypeVar("Elements")


class _Collection(Protocol[E_co]):
    """What has elements and is neither str nor bytes: these contain no object of any other type."""

    def __iter__(self) -> Iterator[E_co]: ...

    def __contains__(self, item: object, /) -> bool: ...


class Minimization(NamedTuple, Generic[Elements]):
    """What `minimize` found, and how.

    `kept` are the elements of the result in order, as the predicate got them, and `indices` their
    places in the input; `queries` counts the answers that the minimizer needed, `by_kind` counts
    them by kind, and `history` has them in order; `runs` counts the calls of the predicate, which
    are more, because some are made again, and with several jobs some ahead of need. `minimal` is
    True only when each single removal from `kept` was really tried and refused.

    `flaky` tells whether the predicate was seen to answer the same question differently, and
    `reproduced` what the last calls of all said of `kept`.
    """

    kept: Elements
    indices: tuple[int, ...]
    queries: int
    runs: int
    by_kind: dict[str, Count]
    minimal: bool
    flaky: bool
    reproduced: Trials
    history: tuple[Answered, ...]

    def __repr__(self) -> str:
        """Fit a line or two, however long the result and its history are."""
        return (
            f"Minimization(kept={reprlib.repr(self.kept)}, indices={reprlib.repr(self.indices)}, "
            f"queries={self.queries}, minimal={self.minimal}, flaky={self.flaky})"
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
    elements: _Collection[E] | Iterator[E],
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
    False, or a `Verdict`. Of a str or bytes, it gets what is left as a str or bytes. `elements` as
    given must be interesting. As in the literature, no query is spent on that, unless nothing else
    was interesting: then the last query is about all of them.

    It should answer alike each time, and some questions are asked twice to find out whether it
    does; the last calls of all are about the result. If it does not, the result is `flaky`: the
    search goes on from what holds, and asks about each list until Wald's sequential test tells
    whether it is interesting as often as all elements (docs/guides/flaky.md).

    `algorithm` is one of the names in docs/algorithms.md, that of an installed package's, or
    `FILE.py:CLASS` (docs/new-algorithm.md); `"auto"` is the best there is and always
    ends 1-minimal. `p0` is the prior chance that an element is essential (ProbDD, CDD),
    `seed` starts every random choice, `weights` are sizes, one an element (weighted ddmin).
    With `inference`, queries whose answer follows if the problem is monotone are skipped,
    and the result is proved by real calls at the end. With `jobs` over 1, that many threads
    evaluate the likeliest next calls ahead of time: the result is the same, and a predicate
    that waits for another process gains. `on_query` is called with every needed answer.

    Costs the queries that the algorithm documents, and one more when a single element is left and
    the algorithm never asked about none at all, or when nothing can be removed. Calls that are made
    again are not queries: twelve of the result, or fewer if they take over a second and over a
    tenth of what the queries took, but at least six; one of each removal that proves it 1-minimal
    if these are at most 100 and took at most 20 seconds; and the 16th, 64th, 256th, ... call of
    either answer.

    Raises ValueError for arguments that make no sense and for elements that are not interesting,
    TypeError for a set, a mapping, an argument of another type, and a predicate that returns a
    coroutine, a generator or a function, NubbinError for a predicate that is flaky beyond use and
    for an algorithm of another package that cannot be loaded or breaks the contract of minimizers,
    and whatever `interesting` raises on a call that the algorithm needs.
    """
    whole = _in_order(elements)
    if not callable(interesting):
        raise TypeError(f"interesting is a function of a list, not {reprlib.repr(interesting)}")
    if on_query is not None and not callable(on_query):
        raise TypeError(f"on_query is a function or None, not {reprlib.repr(on_query)}")
    algorithm, jobs = checked("algorithm", algorithm, str), checked("jobs", jobs, int)
    inference = checked("inference", inference, bool)
    settings = _settings(len(whole), p0, seed, weights)
    start = LastElement.of(Algorithm.named(algorithm).load())
    if jobs < 1:
        raise ValueError(f"jobs is at least 1, not {jobs}")

    history: list[Answered] = []
    problem = _Elements(whole, Subset.full(len(whole)), start, settings)
    everything = best = problem.render(problem.first)

    def ask(candidate: _Sublist) -> Answer:
        said = interesting(candidate.elements())
        if not isinstance(said, Verdict):
            said = Verdict.INTERESTING if truth_of(said) else Verdict.UNINTERESTING
        return Answer(said, 0.0, None, timed_out=False)

    def note(query: Query, answered: Answered, candidate: Callable[[], _Sublist]) -> None:
        history.append(answered)
        if on_query:
            on_query(answered)
        test.sample(answered, candidate, best)

    def keep(kept: Subset, candidate: _Sublist) -> None:
        nonlocal best
        best = candidate

    with _pool(jobs) as pool:
        test = FlakyAwareTest(ask, everything, {}, nothing=problem.render(EMPTY), pool=pool)
        search = Search(test, pool=pool)
        while True:
            try:
                outcome = search.minimize(
                    problem, inference=inference, on_kept=keep, on_answered=note
                )
                if best is everything:
                    _ask_whole(test, search, everything, note)
                if outcome.minimal:
                    test.ask_again(best.single_removals(), search.verdicts)
                reproduced = confirm(test, best)
                break
            except FlakyDetected:
                if not test.flaky:
                    test.measure_rate()
                search.verdicts.clear()
                best = (everything, best)[test.last_interesting([everything, best])]
                problem = _Elements(whole, best.kept, start, settings)
    return Minimization(
        kept=best.elements(),
        indices=tuple(best.kept),
        queries=len(history),
        runs=test.runs,
        by_kind=search.budget.by_kind,
        minimal=outcome.minimal,
        flaky=test.flaky,
        reproduced=reproduced,
        history=tuple(history),
    )


def _pool(jobs: int) -> AbstractContextManager[InLine]:
    """Return threads that end each call: what a predicate has begun is not in vain."""
    if jobs == 1:
        return nullcontext(InLine())
    from nubbin.search.threads import Threads  # noqa: PLC0415 - with its executors

    return Threads(jobs)


def _ask_whole(
    test: Callable[[_Sublist], Verdict],
    search: Search[_Sublist],
    everything: _Sublist,
    note: OnAnswered[_Sublist],
) -> None:
    """Ask about all elements, of which none can go; raises ValueError if that is why."""
    started = time.perf_counter()
    verdict = test(everything)
    answer = CachedVerdict(verdict, time.perf_counter() - started)
    last = Query(everything.kept, "whole")
    note(last, search.budget.count(last, answer), lambda: everything)
    if verdict is not Verdict.INTERESTING:
        raise ValueError(
            "the elements as given are not interesting, and neither is any part of them that "
            "was tried: call the predicate on the whole list, and see why it says no"
        )


def _settings(size: int, p0: float, seed: int, weights: Sequence[float]) -> Settings:
    """Return the settings of a minimizer; raises TypeError or ValueError for wrong ones."""
    if not isinstance(weights, Iterable) or isinstance(weights, str | bytes):
        raise TypeError(f"weights are numbers, not {reprlib.repr(weights)}")
    p0, seed = checked("p0", p0, float), checked("seed", seed, int)
    numbers = tuple(checked("each of weights", each, float) for each in weights)
    if numbers and len(numbers) != size:
        raise ValueError(f"{len(numbers)} weights for {size} elements")
    return Settings(p0, seed, numbers)


def _in_order(elements: Iterable[Any]) -> list[Any] | str | bytes:
    """Return elements that can be cut; raises TypeError for those without an order."""
    if isinstance(elements, Mapping):
        raise TypeError("a mapping is not a list of elements: give list(mapping.items())")
    if not isinstance(elements, Iterable):
        raise TypeError(f"elements are a list, a str or bytes, not {reprlib.repr(elements)}")
    if isinstance(elements, Set):
        raise TypeError("elements are kept in their order, and a set has none: give sorted(...)")
    return elements if isinstance(elements, str | bytes) else list(elements)


class _Elements(Problem["_Sublist"]):
    """The elements of a list, the characters of a str, or bytes; of `first` the search begins."""

    def __init__(
        self, elements: list[Any] | str | bytes, first: Subset, algorithm: Start, settings: Settings
    ):
        self.elements, self.first = elements, first
        self.algorithm, self.settings = algorithm, settings

    def start(self) -> Minimizer:
        return self.algorithm(self.first, self.settings)

    def render(self, kept: Subset) -> _Sublist:
        return _Sublist(self, kept)

    def key(self, kept: Subset, candidate: _Sublist) -> int:
        return candidate.key


class _Sublist(NamedTuple):
    """Some of the elements, which are put together for each call: the predicate may change them."""

    whole: _Elements
    kept: Subset

    @property
    def key(self) -> int:
        return self.kept.digest

    @property
    def title(self) -> str:
        return "the list"

    def elements(self) -> list[Any] | str | bytes:
        every = self.whole.elements
        parts: Iterator[Any] = (every[start:stop] for start, stop in self.kept.runs)
        if isinstance(every, list):
            return list(chain.from_iterable(parts))
        return every[:0].join(parts)

    def single_removals(self) -> Iterator[_Sublist]:
        for at in range(len(self.kept)):
            yield _Sublist(self.whole, self.kept.without(at, at + 1))
