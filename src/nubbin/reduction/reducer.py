"""Runs the lists of the passes, keeps the best document, and tells the observers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor

from nubbin.checks.disturbance import alone_if_disturbed
from nubbin.documents.document import Document
from nubbin.minimizers import Query, Subset
from nubbin.passes.proposal import Pass
from nubbin.reduction.events import (
    Disturbed,
    Event,
    FoundFlaky,
    Improved,
    ListStarted,
    Observer,
    RolledBack,
)
from nubbin.reduction.observers.steering import PassSkipped
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.recorded.proof import single_removals
from nubbin.reduction.schedule import Schedule
from nubbin.reduction.start.workers import Jobs
from nubbin.search.budget import Budget, BudgetSpent
from nubbin.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin.search.search import Search
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import Answered, CachedVerdict, KindCount, VerdictCache

#: Rollback points: one per shrink to this fraction, so that all of them together stay small.
_ROLLBACK_FRACTION = 0.75


class Reducer:
    """Puts the lists of passes to a minimizer and keeps every success.

    `document` is the best so far; `keep` is called with each that is better, `go_back` with an
    earlier one when later ones did not hold. `best` may know a better one than that of a run which
    is broken off. `begin` makes the first list of a schedule a problem for the search. `check` is
    called between two queries, and may raise PassSkipped or BudgetSpent. The same for any number of
    workers.

    In the end `reproduced` is what the last runs of the test said of the result, and `cause` what
    became of workers that are lost.
    """

    def __init__(
        self,
        document: Document,
        test: FlakyAwareTest[Document],
        begin: Callable[[Schedule], PassProblem],
        keep: Callable[[Document], None],
        go_back: Callable[[Document], None],
        *,
        best: Callable[[Document], Document] = lambda document: document,
        executor: Executor | None = None,
        jobs: Jobs | None = None,
        budget: Budget | None = None,
        observers: Sequence[Observer] = (),
        verdicts: VerdictCache | None = None,
        check: Callable[[], None] = lambda: None,
    ):
        self.document = document
        self.reproduced: Trials | None = None
        self.cause: str | None = None
        self._test = test
        self._begin = begin
        self._keep = keep
        self._go_back = go_back
        self._best = best
        self._budget = budget or Budget()
        self._executor = executor
        self._jobs = jobs or Jobs()
        self._observers = observers
        self._chain = [document]
        self._search = Search(
            test,
            executor=executor,
            width=self._jobs,
            budget=self._budget,
            verdicts=verdicts,
            on_answered=self._note,
            check=check,
        )

    @property
    def by_kind(self) -> Mapping[str, KindCount]:
        """The queries so far, by kind."""
        return self._search.by_kind

    def tell(self, event: Event) -> None:
        """Pass an event on to every observer."""
        with self._budget.shield:
            for observer in self._observers:
                observer(event)

    def until_done(self, passes: Sequence[Pass], *, flaky: bool = False) -> tuple[str, bool]:
        """Run passes to a fixpoint, or until the budget or the user's patience is spent.

        With `flaky`, single answers are not believed from the beginning on. At the end a short
        proof of 1-minimality is asked for once more. Then the result is run again, even if the time
        is over. Whenever the test turns out to have been wrong, the reduction goes on from the last
        result that holds. Returns the reason for the end and whether the result is proven
        1-minimal. Raises NubbinError for a test that is flaky beyond use.
        """
        try:
            while True:
                try:
                    reason, minimal = self._until_spent(passes, flaky)
                    self.reproduced = self._test.confirm(self.document)
                    return reason, minimal
                except FlakyDetected as doubt:
                    self._doubt(doubt.candidate)
        except KeyboardInterrupt:
            self.document = self._best(self.document)
            return "interrupted", False
        except BrokenExecutor as error:
            self.document = self._best(self.document)
            self.cause = str(error)
            return "workers-lost", False

    def _doubt(self, document: Document) -> None:
        """Go back to what holds, because the test said otherwise of a document when asked again.

        If runs disturb each other, only one at a time is made from now on, and no answer so far is
        believed. Else the test is flaky.
        """
        alone = None
        if not self._test.flaky and self._executor is not None and self._jobs() > 1:
            documents = (self._chain[0], document, document.emptied())
            alone = alone_if_disturbed(self._test.run, documents, self._executor, self._jobs())
        if alone is not None:
            self._jobs.alone = True
            self._test.start_over(alone)
        elif not self._test.flaky:
            self._measure_rate()
        self._roll_back()
        if alone is not None:  # now the journal has what holds
            self.tell(Disturbed(alone))

    def _measure_rate(self) -> None:
        """Believe single answers no more; costs forty runs, or more."""
        self._test.measure_rate()
        self.tell(FoundFlaky(self._test.rate, self._test.rate_of_nothing))

    def _until_spent(self, passes: Sequence[Pass], flaky: bool) -> tuple[str, bool]:
        try:
            return "fixpoint", self._budget.limited(lambda: self._to_fixpoint(passes, flaky))
        except BudgetSpent as spent:
            self.document = self._best(self.document)
            return spent.reason, False

    def _to_fixpoint(self, passes: Sequence[Pass], flaky: bool) -> bool:
        """Run passes to a fixpoint; return whether the result is proven 1-minimal."""
        if flaky and not self._test.flaky:
            self._measure_rate()
        unproven: set[tuple[str, bytes]] = set()
        schedule = Schedule.begin(passes, self.document)
        problem = None if schedule is None else self._begin(schedule)
        while problem is not None:
            schedule = problem.schedule
            self.tell(ListStarted(schedule.name, schedule.proposal.size))
            try:
                outcome = self._search.minimize(problem, on_kept=self._accept)
            except PassSkipped:
                unproven.add((schedule.name, self.document.key))
                problem = problem.skip(self.document)
                continue
            if not outcome.minimal:
                unproven.add((schedule.name, schedule.state.first.key))
            problem = outcome.then
        # In the last round, each of these has looked at the result.
        proofs = [(each.name, self.document.key) for each in passes if each.proves]
        minimal = bool(proofs) and unproven.isdisjoint(proofs)
        if minimal:
            removals = single_removals(passes, self.document)
            self._test.ask_again(removals, self._search.verdicts)
        return minimal

    def _roll_back(self) -> None:
        """Go back to the last rollback point that holds."""
        self._search.verdicts.clear()  # what is known stays known as trials
        del self._chain[self._test.last_interesting(self._chain) + 1 :]
        self.document = self._chain[-1]
        self._go_back(self.document)
        self.tell(RolledBack(self.document.sizes))

    def _accept(self, kept: Subset, document: Document) -> None:
        if document.key == self.document.key:
            self.document = document  # the same on disk
            return
        with self._budget.shield:
            self._keep(document)
            self.document = document
        if len(self._chain) > 1 and document.extent > _ROLLBACK_FRACTION * self._chain[-2].extent:
            self._chain.pop()
        self._chain.append(document)
        sizes = document.sizes
        self.tell(Improved(sizes))
        self._budget.check_size(sizes.bytes)

    def _note(self, query: Query, answer: CachedVerdict, candidate: Callable[[], Document]) -> None:
        self.tell(Answered(query.kind, len(query.kept), answer.verdict, answer.seconds))
        self._test.sample(answer.verdict, candidate, self.document)
