"""A reduction under way: the best so far, and who hears of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace

from nubbin.documents.document import Document
from nubbin.minimizers import Belief, Minimizer, Settings, Subset
from nubbin.oracles.verdict import Verdict
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.events import Answered, Event, Improved, Observer, StepStarted
from nubbin.reduction.schedule import to_fixpoint
from nubbin.search.budget import Budget, BudgetSpent
from nubbin.search.counts import KindCount
from nubbin.search.search import Asked, Problem, Search
from nubbin.search.verdicts import Verdicts


class Run:
    """Puts the proposals of passes to a minimizer and keeps every success.

    `document` is the best so far, always also given to `keep`; `by_kind` counts the answers that
    were needed. The same for any number of workers.
    """

    def __init__(
        self,
        document: Document,
        oracle: Callable[[Document], Verdict],
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
    ):
        self.document = document
        self.by_kind: dict[str, KindCount] = {}
        self.search = Search(
            oracle,
            executor=executor,
            width=width,
            budget=budget,
            verdicts=verdicts,
            on_asked=self._note,
        )
        self._keep = keep
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

        Returns the reason for the end and whether the result is proven 1-minimal.
        """
        try:
            return "fixpoint", to_fixpoint(passes, self.document, self._minimize)
        except BudgetSpent as spent:
            return spent.reason, False
        except KeyboardInterrupt:
            return "interrupted", False
        except BrokenExecutor:
            return "workers-lost", False

    def _minimize(self, each: Pass, proposal: Proposal[Document]) -> tuple[Document, bool]:
        self.tell(StepStarted(each.name, proposal.size))
        settings = replace(
            self._settings, weights=proposal.weights, belief=self._learned.get(each.name)
        )
        largest = self.document.extent

        def plausible(kept: Subset, candidate: Document) -> bool:
            # What is not smaller is not progress, and could go round in circles.
            return candidate.extent < largest and proposal.plausible(kept, candidate)

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
            sizes = document.sizes
            self.tell(Improved(sizes))
            self._budget.check_size(sizes.bytes)

    def _note(self, asked: Asked) -> None:
        self.by_kind.setdefault(asked.query.kind, KindCount()).add(asked.verdict)
        self.tell(Answered(asked.query.kind, asked.verdict, asked.seconds))
