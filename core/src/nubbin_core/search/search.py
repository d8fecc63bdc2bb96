"""Run minimizers against one oracle, with as few runs as possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from nubbin_core.in_line import InLine
from nubbin_core.minimizers import ALGORITHMS, Query, Settings, Subset
from nubbin_core.search.budget import Budget
from nubbin_core.search.problem import Answered, CandidateCache, Problem, VerdictCache
from nubbin_core.search.speculation import InFlight, SearchNode, reachable, success_chance
from nubbin_core.verdict import Verdict

T = TypeVar("T")
#: Called with a query, its outcome, and a function that renders its candidate again.
OnAnswered = Callable[[Query, Answered, Callable[[], T]], None]
P = TypeVar("P", bound=Problem[Any])
#: A running query is stopped unless it is among this many of the likeliest queries per worker.
_LIKELIEST_PER_WORKER = 2


class Outcome(NamedTuple, Generic[P]):
    """The end of a minimizer: the subset it kept, and whether that is proven 1-minimal.

    `then` is the next list; None after the last.
    """

    kept: Subset
    minimal: bool
    then: P | None


class Search(Generic[T]):
    """Runs minimizers to their end against one oracle.

    If the `pool` makes several calls at once, it runs the likeliest next queries ahead of time, of
    this list and of the next ones. The minimizer's decisions, and so the result, are the same for
    any width. `verdicts` caches answers across all lists: a query costs one run of the oracle,
    unless its candidate has run before.

    A query is an answer that a minimizer needs; `budget` counts them. `check` is called before each
    query and while one runs; an error that it raises ends the search.
    """

    def __init__(
        self,
        oracle: Callable[[T], Verdict],
        *,
        pool: InLine | None = None,
        budget: Budget | None = None,
        verdicts: VerdictCache | None = None,
        check: Callable[[], None] = lambda: None,
    ):
        self.pool = pool or InLine()
        self.budget = budget or Budget()
        self._oracle = oracle
        self._in_flight = InFlight[T](self.pool)
        self._check = check
        self._on_answered: OnAnswered[T] = lambda *_: None
        self._beyond: SearchNode[Any] | None = None
        self.verdicts = VerdictCache() if verdicts is None else verdicts

    def minimize(
        self,
        problem: P,
        *,
        inference: bool = False,
        on_kept: Callable[[Subset, T], None] = lambda kept, candidate: None,
        on_answered: OnAnswered[T] = lambda *_: None,
    ) -> Outcome[P]:
        """Run a minimizer to its end on a list, and return that end.

        `on_kept` is called with each smaller interesting subset and its candidate, `on_answered`
        with each query, its answer and a function that renders its candidate. With `inference`, a
        query whose answer follows if the problem is monotone costs no run; at the end, real queries
        prove each single removal whose answer was inferred.

        Raises BudgetSpent between two queries, and any error of the oracle. On success, speculation
        on the next list keeps running.
        """
        self._on_answered = on_answered
        try:
            end = self._to_the_end(self._first(problem), on_kept, inference)
            if inference and not end.candidates.prove(end.state.kept):
                again = ALGORITHMS["linear"](end.state.kept, Settings())
                end = self._to_the_end(SearchNode(end.candidates, again), on_kept)
            self._beyond = end.beyond
        except BaseException:
            self._in_flight.drop()
            raise
        if self._beyond is None:
            self._in_flight.drop()
        kept = end.state.kept
        then = None if self._beyond is None else self._beyond.problem
        return Outcome(kept, end.candidates.prove(kept), then)

    def _first(self, problem: P) -> SearchNode[P]:
        """Return the first node of a list: the one from speculation, or a new one."""
        node, self._beyond = self._beyond, None
        return node if node and node.problem is problem else SearchNode.first(problem)

    def _to_the_end(
        self, node: SearchNode[P], on_kept: Callable[[Subset, T], None], inference: bool = False
    ) -> SearchNode[P]:
        inferred = Inference(node.state.kept) if inference else None
        while wave := node.wave:
            guesses = [inferred.of(query.kept) if inferred else None for query in wave]
            pairs = zip(wave, guesses, strict=True)
            answers = tuple(
                [self._answer(q, node) if guess is None else guess for q, guess in pairs]
            )
            for query, guess, answer in zip(wave, guesses, answers, strict=True):
                if inferred and guess is None:
                    inferred.learn(query.kept, answer)
            before, node = node, node.tell(answers)
            if len(node.state.kept) < len(before.state.kept):
                kept = node.state.kept
                on_kept(kept, node.candidates.candidate(kept))
        return node

    def _answer(self, query: Query, node: SearchNode[P]) -> bool:
        candidates = node.candidates
        record = candidates.recall(query, self.verdicts)
        # The first use of an answer from speculation costs the budget as much as a run.
        if record is None or not record.used:
            self._check()
            self.budget.check()
        while record is None:
            key = candidates.key(query)
            if self.pool.width > 1:
                self._speculate(node)
            elif key not in self._in_flight:
                self._in_flight.ask(key, self._oracle, candidates.candidate(query.kept))
            self.verdicts.update(self._in_flight.answers())
            record = self.verdicts.get(key)
            if record is None:
                self._check()
        if record.error is not None:
            raise record.error
        candidates.note(query, record)
        if not record.used:
            record.used = True
            candidate = partial(candidates.candidate, query.kept)
            self._on_answered(query, self.budget.count(query, record), candidate)
        return record.interesting

    # -- many workers ----------------------------------------------------------------

    def _speculate(self, node: SearchNode[P]) -> None:
        """Keep every worker busy with the likeliest queries."""
        width = self.pool.width
        again = True
        while again and len(self._in_flight) < width:
            again = self._ask_likeliest(node, width)

    def _ask_likeliest(self, node: SearchNode[P], width: int) -> bool:
        """Give the likeliest open queries to idle workers, and stop those that became unlikely.

        Returns whether a query needed no worker, which may make other queries likelier.
        """
        questions = reachable(node, self._known, self._chance)
        likely = list(islice(questions, _LIKELIEST_PER_WORKER * width))
        self._in_flight.stop_all_but(
            {candidates.key(query) for candidates, query in likely if candidates.seen(query)}
        )
        spared = False
        for candidates, query in likely:
            if len(self._in_flight) >= width:
                break
            if candidates.recall(query, self.verdicts) is not None:
                spared = True
            elif (key := candidates.key(query)) not in self._in_flight:  # for any list
                self._in_flight.ask(key, self._oracle, candidates.candidate(query.kept))
        return spared

    def _known(self, candidates: CandidateCache[P], query: Query) -> bool | None:
        record = candidates.recall(query, self.verdicts) if candidates.seen(query) else None
        return None if record is None else record.interesting

    def _chance(self, query: Query) -> float:
        return success_chance(query, self.budget.by_kind)


class Inference:
    """Answers that follow from earlier ones if the problem is monotone.

    In a monotone problem, every superset of an interesting subset is interesting, and every subset
    of an uninteresting one is uninteresting (Wang, definition of a monotonic test case). The second
    rule is the useful one: a minimizer rarely tries a superset of the best. A real problem need not
    be monotone, so a search may skip queries because of these answers, but must not end on them.

    Costs no query. A rejected subset is stored as the elements of the best that it lacks. If it
    lacks a single element, that element is essential.
    """

    def __init__(self, kept: Subset):
        self._kept = kept
        self._lacking: list[Subset] = []

    def learn(self, candidate: Subset, interesting: bool) -> None:
        """Learn from a real answer."""
        if not interesting:
            self._lacking.append(self._kept - candidate)
        elif candidate < self._kept:
            self._kept = candidate
            self._lacking = [rest for lacking in self._lacking if (rest := lacking & candidate)]

    def of(self, candidate: Subset) -> bool | None:
        """Return the answer that follows by monotonicity, or None if none does."""
        if self._kept <= candidate:
            return True
        if any(lacking.isdisjoint(candidate) for lacking in self._lacking):
            return False
        return None
