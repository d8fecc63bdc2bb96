"""A reduction under way: the best so far, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from dataclasses import replace

from nubbin.documents.document import Document
from nubbin.minimizers import Belief, Minimizer, Settings, Subset
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.events import (
    Answered,
    Doubtful,
    Event,
    Improved,
    Observer,
    RolledBack,
    StepStarted,
)
from nubbin.reduction.schedule import to_fixpoint
from nubbin.reduction.trust import Doubted, Trust
from nubbin.search.budget import Budget, BudgetSpent
from nubbin.search.counts import KindCount
from nubbin.search.evidence import Evidence
from nubbin.search.search import Asked, Problem, Search
from nubbin.search.verdicts import Verdicts

#: Of documents on the way, to go back to one of them, so many are kept that each is at most this
#: part of the one before: all together weigh no more than a few originals.
_STEP = 0.75


class Run:
    """Puts the proposals of passes to a minimizer and keeps every success.

    `document` is the best so far, always also given to `keep`; to `back` where it is an earlier
    one, for later ones did not hold. `by_kind` counts the answers that were needed, `reproduced`
    is what the last runs of all said of the result. The same for any number of workers.
    """

    def __init__(
        self,
        document: Document,
        trust: Trust,
        keep: Callable[[Document], None],
        start: Callable[[Subset, Settings], Minimizer],
        settings: Settings,
        *,
        executor: Executor | None,
        width: Callable[[], int],
        budget: Budget,
        observers: Sequence[Observer],
        verdicts: Verdicts | None = None,
        wanted: Callable[[Document], bool] = lambda document: True,
        back: Callable[[Document], None] | None = None,
    ):
        self.document = document
        self.by_kind: dict[str, KindCount] = {}
        self.search = Search(
            trust,
            executor=executor,
            width=width,
            budget=budget,
            verdicts=verdicts,
            on_asked=self._note,
        )
        self.reproduced: Evidence | None = None
        self._trust = trust
        self._chain = [document]
        self._keep = keep
        self._back = back or keep
        self._start = start
        self._settings = settings
        self._learned: dict[str, Belief | None] = {}  # by pass: its lists are alike
        self._budget = budget
        self._observers = observers
        self._wanted = wanted
        keep(document)

    def tell(self, event: Event) -> None:
        """Pass an event on to every observer."""
        for observer in self._observers:
            observer(event)

    def until_done(self, passes: Sequence[Pass]) -> tuple[str, bool]:
        """Run passes to a fixpoint, or until the budget or the user's patience is spent.

        Then the result is run afresh. Whenever the test turns out to have been wrong, the run
        goes on from the last result that holds. Returns the reason for the end and whether the
        result is proven 1-minimal. Raises WrongTest for a test that is flaky beyond use.
        """
        try:
            while True:
                with suppress(Doubted):
                    reason, minimal = self._until_spent(passes)
                    self.reproduced = self._trust.confirm(self.document)
                    return reason, minimal
                self._roll_back()
        except KeyboardInterrupt:
            return "interrupted", False
        except BrokenExecutor:
            return "workers-lost", False

    def doubt(self) -> None:
        """Believe single answers no more; costs twenty interesting runs on the original."""
        self._trust.doubt()
        self._learned.clear()
        self.tell(Doubtful(self._trust.rate))

    def _until_spent(self, passes: Sequence[Pass]) -> tuple[str, bool]:
        try:
            return "fixpoint", to_fixpoint(passes, self.document, self._minimize)
        except BudgetSpent as spent:
            return spent.reason, False

    def _roll_back(self) -> None:
        """Go back to the last document on the way that holds."""
        if not self._trust.flaky:
            self.doubt()
        self.search.verdicts.clear()  # what is known stays known as evidence
        del self._chain[self._trust.last_good(self._chain) + 1 :]
        self.document = self._chain[-1]
        self._back(self.document)
        self.tell(RolledBack(self.document.sizes))

    def _minimize(self, each: Pass, proposal: Proposal[Document]) -> tuple[Document, bool]:
        self.tell(StepStarted(each.name, proposal.size))
        settings = replace(
            self._settings, weights=proposal.weights, belief=self._learned.get(each.name)
        )
        largest = self.document.extent

        def plausible(kept: Subset, candidate: Document) -> bool:
            # What is not smaller is not progress, and could go round in circles.
            return candidate.extent < largest and proposal.plausible(kept, candidate)

        self._render = proposal.render
        outcome = self.search.minimize(
            self._start(Subset.full(proposal.size), settings),
            Problem(proposal.render, lambda _, document: document.key, plausible, self._wanted),
            on_kept=lambda kept: self._accept(proposal.render(kept)),
        )
        self._learned[each.name] = outcome.learned
        return self.document, outcome.minimal

    def _accept(self, document: Document) -> None:
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
        self._trust.sample(asked.verdict, lambda: self._render(asked.query.kept), self.document)
