"""`nubbin.minimize`: all algorithms as one function, on any list."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar, overload

from nubbin_core.answer import Answer
from nubbin_core.argument_types import checked
from nubbin_core.in_line import InLine
from nubbin_core.minimizers import EMPTY, LastElement, Minimizer, Query, Settings, Subset
from nubbin_core.search.algorithm import Algorithm, Start
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.confirmation import confirm
from nubbin_core.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin_core.search.problem import Problem
from nubbin_core.search.search import OnAnswered, Search
from nubbin_core.search.trials import Trials
from nubbin_core.search.verdict_cache import Answered, CachedVerdict, Count
from nubbin_core.verdict import Verdict, truth_of

_ANSWERS = {said: Answer(said, 0.0, None, timed_out=False) for said in Verdict}

E = TypeVar("E")
Text = TypeVar("Text", str, bytes)
E_co = TypeVar("E_co", covariant=True)
#: The elements of a problem together: a list, a str or bytes.
Elements = TypeVar("Elements")


class _Collection(Protocol[E_co]):
    """What has elements and is neither str nor bytes: these contain no object of any other type."""

    def __iter__(self) -> Iterator[E_co]: ...

    def __contains__(self, item: object, /) -> bool: ...


class Stop(Exception):
    """Raised by a function that `minimize` calls: it ends with the smallest list so far."""


class Minimization(NamedTuple, Generic[Elements]):
    """What `minimize` found, and how.

    `kept` are the elements of the result in order, as the predicate got them, and `indices` their
    places in the input; `queries` counts the answers that the minimizer needed, `by_kind` counts
    them by kind, and `history` has them in order; `runs` counts the calls of the predicate, which
    are more, because some are made again, and with several jobs some ahead of need. `minimal` is
    True only when each single removal from `kept` was really tried and refused.

    `flaky` tells whether the predicate was seen to answer the same question differently, and
    `reproduced` what the last calls of all said of `kept`. `ended` tells why the search ended:
    `"minimized"`, `"max-queries"`, `"max-time"`, `"stopped"` or `"raised"`, which `error` was.
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
    ended: str = "minimized"
    error: Exception | None = None

    def __repr__(self) -> str:
        """Fit a line or two, however long the result and its history are."""
        return (
            f"Minimization(kept={reprlib.repr(self.kept)}, indices={reprlib.repr(self.indices)}, "
            f"queries={self.queries}, minimal={self.minimal}, flaky={self.flaky}, "
            f"ended={self.ended!r})"
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
    on_improved: Callable[[Text], None] | None = ...,
    max_queries: int | None = ...,
    max_time: float | None = ...,
    repetition: bool = ...,
    on_error: Literal["raise", "stop"] = ...,
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
    on_improved: Callable[[list[E]], None] | None = ...,
    max_queries: int | None = ...,
    max_time: float | None = ...,
    repetition: bool = ...,
    on_error: Literal["raise", "stop"] = ...,
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
    on_improved: Callable[[Any], None] | None = None,
    max_queries: int | None = None,
    max_time: float | None = None,
    repetition: bool = True,
    on_error: Literal["raise", "stop"] = "raise",
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
    that waits for another process gains. `on_query` is called with every needed answer,
    `on_improved` with every smaller list that is interesting.

    It ends early after `max_queries` queries or `max_time` seconds, and when a function that it
    calls raises `Stop`. Then `kept` is the smallest list so far, which is not called again, and
    `ended` says why. The time ends no call that has begun. With `on_error="stop"`, an error that
    `interesting` raises ends the search in the same way. With `repetition` False, no question is
    asked twice.

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
    and whatever a function that it calls raises, but for `Stop`.
    """
    whole = _in_order(elements)
    if not callable(interesting):
        raise TypeError(f"interesting is a function of a list, not {reprlib.repr(interesting)}")
    for name, called in {"on_query": on_query, "on_improved": on_improved}.items():
        if called is not None and not callable(called):
            raise TypeError(f"{name} is a function or None, not {reprlib.repr(called)}")
    algorithm, jobs = checked("algorithm", algorithm, str), checked("jobs", jobs, int)
    inference = checked("inference", inference, bool)
    repetition = checked("repetition", repetition, bool)
    max_queries = checked("max_queries", max_queries, int | None)
    max_time = checked("max_time", max_time, float | None)
    if on_error not in {"raise", "stop"}:
        raise ValueError(f'on_error is "raise" or "stop", not {on_error!r}')
    settings = _settings(len(whole), p0, seed, weights)
    start = LastElement.of(Algorithm.named(algorithm).load())
    if jobs < 1:
        raise ValueError(f"jobs is at least 1, not {jobs}")

    problem = _Elements(whole, Subset.full(len(whole)), start, settings)
    run = _Run(problem, interesting, Budget(max_queries, max_time), on_query, on_improved)
    with _pool(jobs) as pool:
        run.end(pool, inference=inference, repetition=repetition, stops=on_error == "stop")
    return run.minimization()


class _Run:
    """A call of `minimize`: what it asks, and what it has found so far."""

    def __init__(
        self,
        problem: _Elements,
        interesting: Callable[[Any], bool | Verdict],
        budget: Budget,
        on_query: Callable[[Answered], None] | None,
        on_improved: Callable[[Any], None] | None,
    ):
        self._problem = problem
        self._interesting = interesting
        self._budget = budget
        self._on_query = on_query
        self._on_improved = on_improved
        self._everything = problem.render(problem.first)
        #: What the minimizer keeps, and the smallest that was interesting, which it may not know.
        self._best = self._smallest = self._everything
        self._history: list[Answered] = []
        self._raised: list[Exception] = []
        self._ended = "minimized"
        self._error: Exception | None = None
        self._minimal, self._reproduced = False, Trials()

    def end(self, pool: InLine, *, inference: bool, repetition: bool, stops: bool) -> None:
        """Search until the result holds, the budget is spent or a function says `Stop`."""
        nothing = self._problem.render(EMPTY)
        self._test = FlakyAwareTest(
            self._ask, self._everything, {}, nothing=nothing, sampled=repetition, pool=pool
        )
        self._search = Search(self._test, pool=pool, budget=self._budget)
        try:
            while not self._reproduced.runs:
                try:
                    self._minimize(inference)
                except FlakyDetected:
                    self._roll_back()
        except BudgetSpent as spent:
            self._ended = spent.reason
        except Stop:
            self._ended = "stopped"
        except Exception as error:
            if not stops or error not in self._raised:
                raise
            self._ended, self._error = "raised", error

    def minimization(self) -> Minimization[Any]:
        """Return what it has found."""
        is_over = self._minimal or self._ended == "minimized"
        found = self._best if is_over else self._smallest
        return Minimization(
            kept=found.elements(),
            indices=tuple(found.kept),
            queries=len(self._history),
            runs=self._test.runs,
            by_kind=self._budget.by_kind,
            minimal=self._minimal,
            flaky=self._test.flaky,
            reproduced=self._reproduced,
            history=tuple(self._history),
            ended=self._ended,
            error=self._error,
        )

    def _minimize(self, inference: bool) -> None:
        search, test = self._search, self._test
        outcome = search.minimize(
            self._problem, inference=inference, on_kept=self._keep, on_answered=self._note
        )
        if self._best is self._everything:
            _ask_whole(test, search, self._everything, self._note)
        self._minimal = outcome.minimal
        if outcome.minimal:
            test.ask_again(self._best.single_removals(), search.verdicts)
        self._reproduced = confirm(test, self._best)

    def _roll_back(self) -> None:
        """Continue from what holds."""
        self._minimal = False
        if not self._test.flaky:
            self._test.measure_rate()
        self._search.verdicts.clear()
        chain = [self._everything, self._best]
        self._best = self._smallest = chain[self._test.last_interesting(chain)]
        self._problem = self._problem.begun_with(self._best.kept)

    def _ask(self, candidate: _Sublist) -> Answer:
        if self._budget.is_past():
            raise BudgetSpent("max-time")
        try:
            said = self._interesting(candidate.elements())
        except Exception as error:
            self._raised.append(error)
            raise
        if not isinstance(said, Verdict):
            said = Verdict.INTERESTING if truth_of(said) else Verdict.UNINTERESTING
        return _ANSWERS[said]

    def _note(self, query: Query, answered: Answered, candidate: Callable[[], _Sublist]) -> None:
        self._history.append(answered)
        if answered.verdict is Verdict.INTERESTING and answered.size < len(self._smallest.kept):
            self._smallest = candidate()
            if self._on_improved:
                self._on_improved(self._smallest.elements())
        if self._on_query:
            self._on_query(answered)
        self._test.sample(answered, candidate, self._best)

    def _keep(self, kept: Subset, candidate: _Sublist) -> None:
        self._best = candidate


def _pool(jobs: int) -> AbstractContextManager[InLine]:
    """Return threads that end each call: what a predicate has begun is not in vain."""
    if jobs == 1:
        return nullcontext(InLine())
    from nubbin_core.search.patient_threads import PatientThreads  # noqa: PLC0415 - with its executors

    return PatientThreads(jobs)


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

    def begun_with(self, kept: Subset) -> _Elements:
        return _Elements(self.elements, kept, self.algorithm, self.settings)

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
        every, bounds = self.whole.elements, self.kept.bounds
        if len(bounds) == 2:  # most often
            return every[bounds[0] : bounds[1]]
        parts: Iterator[Any] = map(every.__getitem__, map(slice, bounds[::2], bounds[1::2]))
        if isinstance(every, list):
            return list(chain.from_iterable(parts))
        return every[:0].join(parts)

    def single_removals(self) -> Iterator[_Sublist]:
        for at in range(len(self.kept)):
            yield _Sublist(self.whole, self.kept.without(at, at + 1))
