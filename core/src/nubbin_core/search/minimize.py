"""`nubbin.minimize`: one function for all algorithms, on any list."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypedDict, TypeVar, Unpack, overload

from nubbin_core.argument_types import checked
from nubbin_core.in_line import InLine
from nubbin_core.minimizers import EMPTY, LastElement, Minimizer, Query, Settings, Start, Subset
from nubbin_core.search.algorithm import Algorithm
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.confirmation import confirm
from nubbin_core.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin_core.search.problem import Answered, CachedVerdict, Count, Problem
from nubbin_core.search.search import Search
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer, Verdict, truth_of

_ANSWERS = {said: Answer(said) for said in Verdict}

E = TypeVar("E")
Text = TypeVar("Text", str, bytes)
E_co = TypeVar("E_co", covariant=True)
#: Elements as the predicate gets them: a list, a str or bytes.
Elements = TypeVar("Elements")


class _Collection(Protocol[E_co]):
    """An iterable that is neither str nor bytes: those contain only objects of their own type."""

    def __iter__(self) -> Iterator[E_co]: ...

    def __contains__(self, item: object, /) -> bool: ...


class Stop(Exception):
    """A function that `minimize` calls may raise this, to end with the smallest list so far."""


class Minimization(NamedTuple, Generic[Elements]):
    """The result of `minimize`, and how it was found.

    `kept` are the elements of the result in their order, in the type that the predicate gets, and
    `indices` their places in the input. `minimal` is True only if each single removal from `kept`
    was tried and rejected.

    `queries` counts the answers that the minimizer needed; `by_kind` counts them by kind, and
    `history` has them in order. `runs` counts the calls of the predicate. There are more of these,
    because some are repeated, and several jobs make some ahead of need.

    `flaky` tells whether the predicate gave different answers for the same list, `reproduced` how
    often the last calls found `kept` interesting. `ended` tells why the search ended:
    `"minimized"`, `"max-queries"`, `"max-time"`, `"stopped"` or `"raised"`; then `error` is the
    error that the predicate raised.
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
        """Fit on two lines, however long the result and its history are."""
        return (
            f"Minimization(kept={reprlib.repr(self.kept)}, indices={reprlib.repr(self.indices)}, "
            f"queries={self.queries}, minimal={self.minimal}, flaky={self.flaky}, "
            f"ended={self.ended!r})"
        )


class MinimizeOptions(TypedDict, total=False):
    """The options of `minimize` that do not depend on the type of the elements."""

    algorithm: str
    p0: float
    seed: int
    weights: Sequence[float]
    inference: bool
    jobs: int
    on_query: Callable[[Answered], None] | None
    max_queries: int | None
    max_time: float | None
    repetition: bool
    on_error: Literal["raise", "stop"]


@overload
def minimize(
    elements: Text,
    interesting: Callable[[Text], bool | Verdict],
    *,
    on_improved: Callable[[Text], None] | None = ...,
    **options: Unpack[MinimizeOptions],
) -> Minimization[Text]: ...


@overload
def minimize(
    elements: _Collection[E] | Iterator[E],
    interesting: Callable[[list[E]], bool | Verdict],
    *,
    on_improved: Callable[[list[E]], None] | None = ...,
    **options: Unpack[MinimizeOptions],
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

    `interesting` gets a list of some of the elements, in their order, and returns True or False, or
    a `Verdict`. If `elements` is a str or bytes, it gets a str or bytes. All elements together must
    be interesting. As in the literature, no query is spent on that: the whole list is tried only if
    no shorter list was interesting, as the last query.

    The predicate should always give the same answer for the same list. To check that, some calls
    are repeated, and the last calls are about the result. If the answers differ, the result is
    `flaky`: the search continues from the last list that holds, and calls the predicate on each
    list until Wald's sequential test tells whether it is interesting as often as all elements are
    (docs/guides/flaky.md).

    `algorithm` is a name from docs/algorithms.md, a name that an installed package offers, or
    `FILE.py:CLASS` (docs/new-algorithm.md); the default, `"auto"`, needs the fewest queries and
    always ends 1-minimal. `p0` is the prior probability that an element is essential (ProbDD, CDD),
    `seed` that of all random choices, `weights` are the sizes of the elements (weighted ddmin).
    With `inference`, queries whose answers follow from earlier ones if the problem is monotone are
    skipped, and real calls prove the result at the end. With `jobs` over 1, that many threads make
    the likeliest next calls ahead of time. The result is the same; a predicate that waits for
    another process gains time. `on_query` gets each answer that the minimizer needed,
    `on_improved` each smaller interesting list.

    The search ends early after `max_queries` queries or `max_time` seconds, or when a function that
    it calls raises `Stop`. Then `kept` is the smallest list so far, without a last check, and
    `ended` says why. A call that has begun is not interrupted. With `on_error="stop"`, an error
    that `interesting` raises also ends the search early. With `repetition` False, no call is
    repeated.

    Costs the queries that the algorithm documents, and one more if a single element is kept and the
    algorithm never tried the empty list, or if nothing can be removed. Repeated calls are not
    queries. These are: twelve of the result, or fewer if they take over a second and over a tenth
    of the time of all queries, but at least six; one of each removal that proves it 1-minimal, if
    there are at most 100 and they took at most 20 seconds; and the 16th, 64th, 256th, ... call with
    either answer.

    Raises ValueError for an impossible value of an argument, and if all elements together are not
    interesting. Raises TypeError for a set, a mapping, an argument of another type, and a predicate
    that returns a coroutine, a generator or a function. Raises NubbinError for a predicate that is
    too flaky to use, and for a foreign algorithm that cannot be loaded or breaks the contract of
    minimizers. Passes on any error of a function that it calls, except `Stop`.
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
        run.search(pool, inference=inference, repetition=repetition, stops=on_error == "stop")
    return run.minimization()


class _Run:
    """One call of `minimize`, with the best list so far."""

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
        #: The list that the minimizer keeps, and the smallest one that was interesting.
        self._best = self._smallest = self._everything
        self._history: list[Answered] = []
        self._raised: list[Exception] = []
        self._ended = "minimized"
        self._error: Exception | None = None
        self._minimal, self._reproduced = False, Trials()

    def search(self, pool: InLine, *, inference: bool, repetition: bool, stops: bool) -> None:
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
        """Return the result so far."""
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
            self._ask_whole()
        self._minimal = outcome.minimal
        if outcome.minimal:
            test.ask_again(self._best.single_removals(), search.verdicts)
        self._reproduced = confirm(test, self._best)

    def _roll_back(self) -> None:
        """Continue from the last list that holds."""
        self._minimal = False
        if not self._test.flaky:
            self._test.measure_rate()
        self._search.verdicts.clear()
        chain = [self._everything, self._best]
        self._best = self._smallest = chain[self._test.last_interesting(chain)]
        self._problem = self._problem.begun_with(self._best.kept)

    def _ask_whole(self) -> None:
        """Try all elements, as none could be removed; raises ValueError if they are rejected."""
        started = time.perf_counter()
        verdict, whole = self._test(self._everything), self._everything
        answer = CachedVerdict(verdict, time.perf_counter() - started)
        query = Query(whole.kept, "whole")
        self._note(query, self._budget.count(query, answer), lambda: whole)
        if verdict is not Verdict.INTERESTING:
            raise ValueError(
                "the elements as given are not interesting, and neither is any part of them that "
                "was tried: call the predicate on the whole list, and see why it says no"
            )

    def _ask(self, candidate: _Sublist) -> Answer:
        if self._budget.is_over():
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
    if jobs == 1:
        return nullcontext(InLine())
    from nubbin_core.pool import PatientThreads  # noqa: PLC0415 - with its executors

    return PatientThreads(jobs)


def _settings(size: int, p0: float, seed: int, weights: Sequence[float]) -> Settings:
    """Return the settings of a minimizer; raises TypeError or ValueError."""
    if not isinstance(weights, Iterable) or isinstance(weights, str | bytes):
        raise TypeError(f"weights are numbers, not {reprlib.repr(weights)}")
    p0, seed = checked("p0", p0, float), checked("seed", seed, int)
    numbers = tuple(checked("each of weights", each, float) for each in weights)
    if numbers and len(numbers) != size:
        raise ValueError(f"{len(numbers)} weights for {size} elements")
    return Settings(p0, seed, numbers)


def _in_order(elements: Iterable[Any]) -> list[Any] | str | bytes:
    """Return elements that can be sliced; raises TypeError if they have no order."""
    if isinstance(elements, Mapping):
        raise TypeError("a mapping is not a list of elements: give list(mapping.items())")
    if not isinstance(elements, Iterable):
        raise TypeError(f"elements are a list, a str or bytes, not {reprlib.repr(elements)}")
    if isinstance(elements, Set):
        raise TypeError("elements are kept in their order, and a set has none: give sorted(...)")
    return elements if isinstance(elements, str | bytes) else list(elements)


class _Elements(Problem["_Sublist"]):
    """Elements of a list, a str or bytes to minimize; the search begins with those in `first`."""

    def __init__(
        self, elements: list[Any] | str | bytes, first: Subset, start_on: Start, settings: Settings
    ):
        self.elements, self.first = elements, first
        self.start_on, self.settings = start_on, settings

    def begun_with(self, kept: Subset) -> _Elements:
        return _Elements(self.elements, kept, self.start_on, self.settings)

    def start(self) -> Minimizer:
        return self.start_on(self.first, self.settings)

    def render(self, kept: Subset) -> _Sublist:
        return _Sublist(self, kept)

    def key(self, candidate: _Sublist) -> int:
        return candidate.key


class _Sublist(NamedTuple):
    """Some of the elements. Each call gets a new list of them, because it may change the list."""

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
