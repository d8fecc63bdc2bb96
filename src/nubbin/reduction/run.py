"""A reduction under way: the best so far, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from functools import partial

from nubbin.documents.document import Document
from nubbin.minimizers import Minimizer, Settings, Subset
from nubbin.oracles.verdict import Verdict
from nubbin.passes.proposal import Pass
from nubbin.reduction.events import (
    Answered,
    Doubtful,
    Event,
    Improved,
    Observer,
    RolledBack,
    StepStarted,
)
from nubbin.reduction.flaky_aware_test import FlakyAwareTest, FlakyDetected
from nubbin.reduction.pass_problem import PassProblem, ProblemOptions
from nubbin.reduction.removals import single_removals
from nubbin.reduction.schedule import first_step
from nubbin.search.budget import Budget, BudgetSpent
from nubbin.search.counts import KindCount
from nubbin.search.search import Asked, Search
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import VerdictCache

#: The proof of 1-minimality is asked for again, to find out a flaky test, if it has no more queries
#: than these, and they took no longer. Longer runs have asked more questions twice on the way.
_MOST_ASKED_AGAIN = 100
_MOST_SECONDS_AGAIN = 20.0

#: Of documents on the way, to go back to one of them, so many are kept that each is at most this
#: part of the one before: all together weigh no more than a few originals.
_STEP = 0.75


class Run:
    """Puts the proposals of passes to a minimizer and keeps every success.

    `document` is the best so far, always also given to `keep`; to `back` where it is an earlier
    one, for later ones did not hold. `by_kind` counts the answers that were needed, `reproduced`
    is what the last runs of all said of the result; `cause` is what became of the workers, if they
    are lost. The same for any number of workers.
    """

    def __init__(
        self,
        document: Document,
        test: FlakyAwareTest,
        keep: Callable[[Document], None],
        start: Callable[[Subset, Settings], Minimizer],
        settings: Settings,
        *,
        executor: Executor | None,
        width: Callable[[], int],
        budget: Budget,
        observers: Sequence[Observer],
        verdicts: VerdictCache | None = None,
        is_allowed: Callable[[Document], bool] = lambda document: True,
        back: Callable[[Document], None] | None = None,
        may_look_ahead: bool = True,
    ):
        self.document = document
        self.by_kind: dict[str, KindCount] = {}
        self.search = Search(
            test,
            executor=executor,
            width=width,
            budget=budget,
            verdicts=verdicts,
            on_asked=self._note,
        )
        self.reproduced: Trials | None = None
        self.cause: str | None = None
        self._test = test
        self._chain = [document]
        self._keep = keep
        self._back = back or keep
        self._options = ProblemOptions(start, settings, is_allowed, may_look_ahead)
        self._budget = budget
        self._observers = observers
        keep(document)

    def tell(self, event: Event) -> None:
        """Pass an event on to every observer."""
        for observer in self._observers:
            observer(event)

    def until_done(self, passes: Sequence[Pass], *, doubtful: bool = False) -> tuple[str, bool]:
        """Run passes to a fixpoint, or until the budget or the user's patience is spent.

        With `doubtful`, single answers are not believed from the beginning on. At the end a short
        proof of 1-minimality is asked for once more, and the result is run again. Whenever the test
        turns out to have been wrong, the run goes on from the last result that holds. Returns the
        reason for the end and whether the result is proven 1-minimal. Raises WrongTest for a test
        that is flaky beyond use.
        """
        try:
            if doubtful:
                self.measure_rate()
            while True:
                with suppress(FlakyDetected):
                    reason, minimal = self._until_spent(passes)
                    if minimal:
                        self._test.ask_again(self._proof(passes[-1]))
                    self.reproduced = self._test.confirm(self.document)
                    return reason, minimal
                self._roll_back()
        except KeyboardInterrupt:
            return "interrupted", False
        except BrokenExecutor as error:
            self.cause = str(error)
            return "workers-lost", False

    def measure_rate(self) -> None:
        """Believe single answers no more; costs twenty interesting runs on the original."""
        self._test.measure_rate()
        self.tell(Doubtful(self._test.rate))

    def _until_spent(self, passes: Sequence[Pass]) -> tuple[str, bool]:
        unproven: set[tuple[str, bytes]] = set()
        try:
            step = first_step(passes, self.document)
            problem = None if step is None else PassProblem(step, self._options, {})
            while problem is not None:
                self._problem = problem
                self.tell(StepStarted(problem.step.name, problem.step.proposal.size))
                outcome = self.search.minimize(problem, on_kept=self._accept)
                if not outcome.minimal:
                    unproven.add((problem.step.name, problem.step.turn.begun.key))
                problem = outcome.then
        except BudgetSpent as spent:
            return spent.reason, False
        # The last pass is the finest, and what it looked at last is the result.
        return "fixpoint", (passes[-1].name, self.document.key) not in unproven

    def _proof(self, finest: Pass) -> list[Document]:
        """Return the removals that prove the result 1-minimal; none if many or slow to refuse."""
        refused: list[Document] = []
        seconds = 0.0
        for document in single_removals(finest, self.document):
            record = self.search.verdicts.get(document.key)
            if record is not None and record.verdict is Verdict.UNINTERESTING:
                refused.append(document)
                seconds += record.seconds
            if len(refused) > _MOST_ASKED_AGAIN or seconds > _MOST_SECONDS_AGAIN:
                return []
        return refused

    def _roll_back(self) -> None:
        """Go back to the last document on the way that holds."""
        if not self._test.flaky:
            self.measure_rate()
        self.search.verdicts.clear()  # what is known stays known as evidence
        del self._chain[self._test.last_interesting(self._chain) + 1 :]
        self.document = self._chain[-1]
        self._back(self.document)
        self.tell(RolledBack(self.document.sizes))

    def _accept(self, kept: Subset) -> None:
        document = self._problem.render(kept)
        if document.key != self.document.key:
            self._keep(document)
            self.document = document
            if len(self._chain) > 1 and document.extent > _STEP * self._chain[-2].extent:
                self._chain.pop()
            self._chain.append(document)
            sizes = document.sizes
            self.tell(Improved(sizes))
            self._budget.check_size(sizes.bytes)

    def _note(self, asked: Asked) -> None:
        self.by_kind.setdefault(asked.query.kind, KindCount()).add(asked.verdict)
        self.tell(Answered(asked.query.kind, asked.verdict, asked.seconds))
        candidate = partial(self._problem.render, asked.query.kept)
        self._test.sample(asked.verdict, candidate, self.document)
