"""A list of edits as the search minimizes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from nubbin.documents.document import Document
from nubbin.minimizers import Belief, Minimizer, Settings, Subset, learned
from nubbin.reduction.schedule import Step
from nubbin.search.problem import Problem


@dataclass(frozen=True, slots=True)
class ProblemOptions:
    """How every list of a run is minimized.

    `start` begins the algorithm, `is_allowed` says which documents may be a result, and
    `may_look_ahead` whether passes may be asked about documents that are only likely to come.
    """

    start: Callable[[Subset, Settings], Minimizer]
    settings: Settings
    is_allowed: Callable[[Document], bool]
    may_look_ahead: bool


@dataclass(frozen=True, slots=True)
class PassProblem(Problem[Document]):
    """A step of the schedule, with what the lists before it have taught, by pass."""

    step: Step
    options: ProblemOptions
    beliefs: Mapping[str, Belief | None]  # the lists of a pass are alike

    def start(self) -> Minimizer:
        """Begin with no edit applied, and with what is believed of the pass's lists."""
        proposal = self.step.proposal
        belief = self.beliefs.get(self.step.name)
        settings = replace(self.options.settings, weights=proposal.weights, belief=belief)
        return self.options.start(Subset.full(proposal.size), settings)

    def render(self, kept: Subset) -> Document:
        """Return the document in which all edits but these are applied."""
        return self.step.proposal.render(kept)

    def key(self, kept: Subset, candidate: Document) -> bytes:
        """Return the document's own key."""
        return candidate.key

    def is_allowed(self, candidate: Document) -> bool:
        """Tell whether a document may be a result."""
        return self.options.is_allowed(candidate)

    def is_plausible(self, kept: Subset, candidate: Document) -> bool:
        """Tell whether a document is smaller, and what the pass holds for possible.

        What is not smaller is not progress, and could go round in circles.
        """
        smaller = candidate.extent < self.step.document.extent
        return smaller and self.step.proposal.is_plausible(kept, candidate)

    @property
    def may_look_ahead(self) -> bool:
        """Whether passes may be asked about documents that are only likely to come."""
        return self.options.may_look_ahead

    def after(self, end: Minimizer) -> Self | None:
        """Return the list that the schedule has next."""
        changed = len(end.kept) < self.step.proposal.size
        step = self.step.after(self.render(end.kept) if changed else self.step.document)
        beliefs = {**self.beliefs, self.step.name: learned(end)}
        return None if step is None else replace(self, step=step, beliefs=beliefs)
