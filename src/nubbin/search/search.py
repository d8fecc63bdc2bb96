"""Search: drives one minimizer against one oracle, asking as little as possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from nubbin.executors.inline import InlineExecutor
from nubbin.minimizers import ALGORITHMS, Belief, Minimizer, Query, Settings, Subset, learned
from nubbin.oracles.verdict import Verdict
from nubbin.search.budget import Budget
from nubbin.search.inference import Inference
from nubbin.search.speculation import Odds, Remembered, reachable
from nubbin.search.verdicts import IMPLAUSIBLE, UNWANTED, Record, Verdicts

T = TypeVar("T")

#: How many of the likeliest questions, per worker, a running query must be among to go on.
_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class Problem(Generic[T]):
    """A list to minimize: what a subset of it looks like to the oracle.

    `render` turns a subset into the oracle's candidate; `key` fingerprints a candidate and
    its subset for the verdict cache (at least 128 bits), so that two lists of one document
    share their answers. A candidate that is not `wanted` is refused without a query. One that is
    not `plausible` is not worth a query: it is taken for uninteresting too, but proves nothing.
    """

    render: Callable[[Subset], T]
    key: Callable[[Subset, T], Hashable]
    plausible: Callable[[Subset, T], bool] = lambda kept, candidate: True
    wanted: Callable[[T], bool] = lambda candidate: True


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of the oracle, as told to a listener when a minimizer first needs its answer."""

    query: Query
    verdict: Verdict
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a minimizer ended: what it kept, and whether that is proven 1-minimal.

    `learned` can be given to another list's minimizer, in its Settings; None where the
    algorithm learns nothing.
    """

    kept: Subset
    minimal: bool
    learned: Belief | None


class Search(Generic[T]):
    """Runs minimizers to their end against one oracle.

    With an executor and workers, whose number `width` tells at any time, it evaluates the
    likeliest next questions ahead of time; the path a minimizer takes, and so the result, is the
    same for any width. Answers are cached across every list searched. Every query costs one run
    of the oracle unless its candidate was run before.
    """

    def __init__(
        self,
        oracle: Callable[[T], Verdict],
        *,
        executor: Executor | None = None,
        width: Callable[[], int] = lambda: 1,
        budget: Budget | None = None,
        verdicts: Verdicts | None = None,
        on_asked: Callable[[Asked], None] | None = None,
    ):
        self._oracle = oracle
        self._executor = executor or InlineExecutor()
        self._width = width
        self._budget = budget or Budget()
        self._on_asked = on_asked
        self._odds = Odds()
        self.verdicts = Verdicts() if verdicts is None else verdicts

    def minimize(
        self,
        minimizer: Minimizer,
        problem: Problem[T],
        *,
        inference: bool = False,
        on_kept: Callable[[Subset], None] | None = None,
    ) -> Outcome:
        """Run a minimizer to its end on a problem and return what it kept.

        `on_kept` hears of every smaller interesting subset, as soon as it is one. With
        `inference`, answers that follow if the problem is monotone are taken without a query;
        the result is then proved by really asking each single removal that rests on one.

        Raises BudgetSpent between two queries, and whatever the oracle raises.
        """
        run = _Run(self, problem, on_kept or (lambda kept: None))
        try:
            end = run.to_the_end(minimizer, Inference(minimizer.kept) if inference else None)
            kept = end.kept
            if inference and not run.proves(kept):
                kept = run.to_the_end(ALGORITHMS["linear"](kept, Settings()), None).kept
            return Outcome(kept, run.proves(kept), learned(end))
        finally:
            run.drop_speculation()


class _Run(Generic[T]):
    """One list on its way through a search: what is known of it, what is under way."""

    def __init__(self, search: Search[T], problem: Problem[T], on_kept: Callable[[Subset], None]):
        self._search = search
        self._problem = problem
        self._on_kept = on_kept
        self._records: dict[int, Record] = {}  # by the subset's digest: spares a render
        self._rendered: tuple[Query, T, Hashable] | None = None
        self._pending: dict[int, _Pending] = {}

    def to_the_end(self, state: Minimizer, inference: Inference | None) -> Minimizer:
        """Drive a minimizer until it asks nothing more; return its last state."""
        at = Remembered(state)
        while wave := at.ask():
            guesses = [inference.of(query.kept) if inference else None for query in wave]
            answers = tuple(
                self._answer(query, at) if guess is None else guess
                for query, guess in zip(wave, guesses, strict=True)
            )
            if inference:
                for query, answer in zip(wave, answers, strict=True):
                    inference.learn(query.kept, answer)
            before, at = at.kept, at.tell(answers)
            if len(at.kept) < len(before):
                self._on_kept(at.kept)
        return at.state

    def proves(self, kept: Subset) -> bool:
        """Tell whether each single removal from `kept` was really refused."""
        removals = map(self._records.get, kept.digests_without_each())
        return all(r is not None and r.proves and not r.interesting for r in removals)

    def drop_speculation(self) -> None:
        """Stop what is still under way; nobody needs it any more."""
        for pending in self._pending.values():
            pending.future.cancel()
        self._pending.clear()

    # -- one answer ------------------------------------------------------------------

    def _answer(self, query: Query, state: Minimizer) -> bool:
        """Return the answer to a query of `state`, from the cache or by running the oracle."""
        search = self._search
        record = self._recall(query)
        # An answer that was speculation so far costs the budget what running it now would.
        if record is None or not record.used:
            search._budget.check()
        if record is None:
            record = self._run_here(query) if search._width() == 1 else self._run_wide(query, state)
        if record.error is not None:
            raise record.error
        if not record.used:
            record.used = True
            search._budget.spent += 1
            search._odds.learn(query.kind, record.interesting)
            if search._on_asked:
                search._on_asked(Asked(query, record.verdict, record.seconds))
        return record.interesting

    def _recall(self, query: Query) -> Record | None:
        """Return what is known of a query's candidate, in this list or from an earlier one."""
        digest = query.kept.digest
        if digest not in self._records and digest not in self._pending:
            candidate, key = self._candidate(query)
            record = self._search.verdicts.get(key)
            # What only speculation has asked so far must not matter.
            open_still = record is None or not record.used
            if open_still and not self._problem.plausible(query.kept, candidate):
                record = IMPLAUSIBLE
            if record in (None, IMPLAUSIBLE) and not self._problem.wanted(candidate):
                record = UNWANTED
            if record is not None:
                self._records[digest] = record
        return self._records.get(digest)

    def _candidate(self, query: Query) -> tuple[T, Hashable]:
        """Return a query's candidate and its key; the last one is kept, for it is asked next."""
        if self._rendered is None or self._rendered[0] is not query:
            candidate = self._problem.render(query.kept)
            self._rendered = query, candidate, self._problem.key(query.kept, candidate)
        return self._rendered[1:]

    def _remember(self, query: Query, key: Hashable, record: Record) -> Record:
        self._search.verdicts.add(key, record)
        self._records[query.kept.digest] = record
        return record

    def _run_here(self, query: Query) -> Record:
        candidate, key = self._candidate(query)
        future = self._search._executor.submit(_timed, self._search._oracle, candidate)
        return self._remember(query, key, future.result())

    # -- many workers ----------------------------------------------------------------

    def _run_wide(self, query: Query, state: Minimizer) -> Record:
        """Keep every worker busy on the likeliest questions until this one is answered."""
        digest = query.kept.digest
        while digest not in self._records:
            self._speculate(state)
            if digest not in self._records:
                wait([pending.future for pending in self._pending.values()], None, FIRST_COMPLETED)
                self._harvest()
        return self._records[digest]

    def _speculate(self, state: Minimizer) -> None:
        """Put the likeliest open questions to idle workers, and stop those now out of reach."""
        width = self._search._width()
        questions = reachable(state, self._known, self._search._odds)
        likely = list(islice(questions, _PATIENCE * width))
        wanted = {query.kept.digest for query in likely}
        for digest in self._pending.keys() - wanted:
            # A worker that cannot be stopped stays busy: its answer is taken when it comes.
            if self._pending[digest].future.cancel():
                del self._pending[digest]
        for query in likely:
            if len(self._pending) >= width:
                return
            if query.kept.digest not in self._pending and self._recall(query) is None:
                self._submit(query)

    def _known(self, query: Query) -> bool | None:
        record = self._records.get(query.kept.digest)
        return None if record is None else record.interesting

    def _submit(self, query: Query) -> None:
        candidate, key = self._candidate(query)
        if any(pending.key == key for pending in self._pending.values()):
            return  # another subset with the same bytes is being run
        future = self._search._executor.submit(_timed, self._search._oracle, candidate)
        self._pending[query.kept.digest] = _Pending(query, key, future)

    def _harvest(self) -> None:
        """Take in every answer that has arrived."""
        for digest, pending in list(self._pending.items()):
            if pending.future.done():
                del self._pending[digest]
                self._remember(pending.query, pending.key, pending.future.result())


@dataclass(frozen=True, slots=True)
class _Pending:
    """A query under way in a worker."""

    query: Query
    key: Hashable
    future: Future[Record]


def _timed(oracle: Callable[[T], Verdict], candidate: T) -> Record:
    """Ask the oracle once. At module level, so that it can travel to another process."""
    started = time.perf_counter()
    try:
        verdict, error = oracle(candidate), None
    except Exception as raised:  # told to whoever needs the answer, and to nobody else
        verdict, error = Verdict.UNRESOLVED, raised
    return Record(verdict, time.perf_counter() - started, error)
