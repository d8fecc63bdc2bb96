"""Run the lists of the passes, keep the best document, and tell the observers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from nubbin.documents.document import Document
from nubbin.journal.recorded_run import end_of
from nubbin.passes.each_file import new_passes
from nubbin.reduction import events
from nubbin.reduction.events import Observer
from nubbin.reduction.observers.watched import PassSkipped
from nubbin.reduction.pass_problem import Plan, single_removals
from nubbin_core.minimizers import EMPTY, Query, Subset
from nubbin_core.pool import Pool
from nubbin_core.search.budget import BudgetSpent
from nubbin_core.search.confirmation import confirm
from nubbin_core.search.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin_core.search.problem import Answered
from nubbin_core.search.search import Search
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

#: Each rollback point has at most this fraction of the size of the one before. So all of them
#: together are at most three times as large as the first.
_ROLLBACK_FRACTION = 2 / 3
#: The number of candidates rejected only for errors of other kinds, with none accepted, that shows
#: that such errors do not distinguish failures.
_MAX_OTHER_ERRORS = 30


class _OnlyOtherErrors(Exception):
    """`_MAX_OTHER_ERRORS` candidates were rejected only for such errors, and none was accepted."""


@dataclass(frozen=True, slots=True)
class ReductionEnd:
    """The reason for the end of a reduction, its result, and whether that is proven 1-minimal.

    `reproduced` has the last runs on the result; None if the reduction was broken off, or its time
    was over. `cause` says what became of lost workers.
    """

    reason: str
    document: Document
    minimal: bool = False
    reproduced: Trials | None = None
    cause: str | None = None


class Reducer:
    """Minimizes the lists of a plan, from the original of the `test`, and tells the observers.

    The result is the same for any number of workers. Observers, and what the search checks between
    two queries, may raise PassSkipped or BudgetSpent.
    """

    def __init__(
        self, plan: Plan, search: Search[Document], test: FlakyAwareTest[Document], tell: Observer
    ):
        self._plan = plan
        self._search = search
        self._test = test
        self._tell = tell
        self._document = test.original  # the best so far
        self._chain = [test.original]
        self._other_errors = 0

    def run(
        self, *, flaky: bool = False, best: Callable[[Document], Document] = lambda best: best
    ) -> ReductionEnd:
        """Run passes to a fixpoint, or until the budget is spent or the user interrupts.

        With `flaky`, candidates are repeated from the beginning. At the end, a short proof is run
        again, and the result, in the time that the budget keeps for it. If the test contradicts
        itself, the reduction continues from the last document that it still accepts. If the
        reduction is broken off, `best` may return a better document. Raises NubbinError if the test
        is too flaky.
        """
        try:
            while True:
                try:
                    return self._run_in_budget(best, flaky=flaky)
                except FlakyDetected as doubt:
                    self._search.budget.limited(partial(self._doubt, doubt.candidate), last=True)
                except _OnlyOtherErrors:
                    self._allow_other_errors()
        except BudgetSpent as spent:  # before it was known whether the result holds
            return ReductionEnd(spent.reason, best(self._document))
        except KeyboardInterrupt:
            return ReductionEnd("interrupted", best(self._document))
        except BrokenExecutor as error:
            return ReductionEnd("workers-lost", best(self._document), cause=str(error))

    def _run_in_budget(self, best: Callable[[Document], Document], *, flaky: bool) -> ReductionEnd:
        """Run the plan as far as the budget allows, and the result again."""
        budget, reason, minimal = self._search.budget, "fixpoint", False
        try:
            minimal = budget.limited(partial(self._run_plan, flaky))
        except BudgetSpent as spent:
            reason = spent.reason
        if not end_of(reason).is_done:
            self._document = best(self._document)
        reproduced = budget.limited(partial(confirm, self._test, self._document), last=True)
        return ReductionEnd(reason, self._document, minimal, reproduced)

    def _doubt(self, document: Document) -> None:
        """Roll back, because the test contradicted itself on a document.

        If runs disturb each other, one is made at a time from now on, and all answers are dropped.
        Otherwise the test is flaky.
        """
        alone, pool = None, self._search.pool
        if not self._test.flaky and isinstance(pool, Pool) and pool.width > 1:
            from nubbin.checks.trust import alone_if_disturbed  # noqa: PLC0415

            documents = (self._chain[0], document, document.emptied())
            alone = alone_if_disturbed(self._test.run, documents, pool)
            pool.alone = alone is not None
        if alone is not None:
            self._test.start_over(alone)
        elif not self._test.flaky:
            self._measure_rate()
        self._roll_back()
        if alone is not None:  # the journal has the document that is still accepted
            self._tell(events.Disturbed(alone))

    def _allow_other_errors(self) -> None:
        self._test.allows_other_errors = True
        self._test.start_over(self._test.rate)
        self._search.verdicts.clear()
        self._tell(events.OtherErrorsAllowed(self._other_errors))

    def _measure_rate(self) -> None:
        """Repeat candidates from now on; costs forty runs, or more."""
        self._test.measure_rate()
        self._tell(events.FoundFlaky(self._test.rate, self._test.rate_of_nothing))

    def _run_plan(self, flaky: bool) -> bool:
        """Run the plan to a fixpoint; return whether the result is proven 1-minimal.

        If the passes at the end of the plan change the document, the others run again.
        """
        if flaky and not self._test.flaky:
            self._measure_rate()
        plan = self._plan
        proven = self._run_and_read_again(plan, frozenset())
        if plan.at_the_end:
            before, known = self._document.key, frozenset(range(len(plan.passes)))
            whole = replace(plan, passes=(*plan.passes, *plan.at_the_end))
            proof = self._run_and_read_again(whole, known)
            proven = proven if self._document.key == before else proof
        return proven

    def _run_and_read_again(self, plan: Plan, settled: frozenset[int]) -> bool:
        """Run a plan to a fixpoint; return whether the result is proven 1-minimal.

        Other passes may apply to the result than to the original, for instance those on words if a
        tree has become full of errors. Then these run as well. A container that is packed and read
        again may have other members. Then all single removals from these are tried, and if one is
        accepted, the reduction continues from that.
        """
        while self._run_passes(plan, settled):
            again = plan.read_again(self._document)
            if again is None:
                return True
            read, after = again
            if read.data != self._document.data:
                removal = self._interesting_removal(after, read)
                if removal is None:
                    return True
                if removal.sizes.bytes >= self._document.sizes.bytes:
                    return False
                self._accept(EMPTY, removal)
                settled = frozenset()
            elif new := new_passes(after.passes, plan.passes, read):
                settled = frozenset(range(len(after.passes))) - new
            else:
                return True
            plan = after
        return False

    def _run_passes(self, plan: Plan, settled: Collection[int]) -> bool:
        """Run passes until none changes the document; tell whether that is proven 1-minimal."""
        passes = plan.passes
        unproven: set[tuple[str, bytes]] = set()
        problem, before = plan.first(self._document, settled), -1
        while problem is not None:
            schedule = problem.schedule
            self._tell_failures(plan)
            if schedule.proposal.on_answers is None or schedule.now.at != before:  # one list a turn
                self._tell(events.ListStarted(schedule.pass_.name, schedule.proposal.size))
            before = schedule.now.at
            try:
                outcome = self._search.minimize(
                    problem, on_kept=self._accept, on_answered=self._note
                )
            except PassSkipped:
                unproven.add((schedule.pass_.name, self._document.key))
                problem = problem.skip(self._document)
                continue
            if not outcome.minimal:
                unproven.add((schedule.pass_.name, schedule.now.state.first.key))
            problem = outcome.then
        # In the last round, each of these has seen the result.
        proofs = [(each.name, self._document.key) for each in passes if each.piece]
        minimal = bool(proofs) and unproven.isdisjoint(proofs)
        if minimal:
            removals = single_removals(passes, self._document)
            self._test.ask_again(removals, self._search.verdicts)
        self._tell_failures(plan)
        return minimal and plan.guard.could_prove(passes, self._document)

    def _tell_failures(self, plan: Plan) -> None:
        for failure in plan.guard.new():
            self._tell(failure)

    def _interesting_removal(self, plan: Plan, read: Document) -> Document | None:
        """Return a single removal that is accepted; costs a run for each that no pass has tried."""
        problem = plan.first(read)
        if problem is None:
            return None

        def answer(removal: Document) -> tuple[Document, Verdict]:
            answered = self._search.verdicts.get(removal.key)
            return removal, self._test(removal) if answered is None else answered.verdict

        removals = filter(problem.is_allowed, single_removals(plan.passes, read))
        with closing(self._search.pool.each(answer, removals)) as answers:
            succeeded = (each for each, verdict in answers if verdict is Verdict.INTERESTING)
            return next(succeeded, None)

    def _roll_back(self) -> None:
        """Return to the last rollback point that the test still accepts."""
        self._search.verdicts.clear()  # the trials are kept
        del self._chain[self._test.last_interesting(self._chain) + 1 :]
        self._document = self._chain[-1]
        self._tell(events.RolledBack(self._document))

    def _accept(self, kept: Subset, document: Document) -> None:
        budget = self._search.budget
        if document.key == self._document.key:
            self._document = document  # the same on disk
            return
        with budget.shield:
            self._tell(events.Improved(document))
            self._document = document
        if len(self._chain) > 1:
            point, last = self._chain[-2:]
            if last.extent > _ROLLBACK_FRACTION * point.extent:
                self._chain.pop()
        self._chain.append(document)
        budget.check_size(document.sizes.bytes)

    def _note(self, query: Query, answered: Answered, candidate: Callable[[], Document]) -> None:
        self._tell(answered)
        # Until the first candidate is accepted, the answers decide whether such errors count.
        if len(self._chain) == 1 and self._test.with_other_error:
            self._other_errors += candidate().key in self._test.with_other_error
            if self._other_errors == _MAX_OTHER_ERRORS and not self._test.allows_other_errors:
                raise _OnlyOtherErrors
        self._test.sample(answered, candidate, self._document)
