"""Monotone inference: answers that follow from answers already given."""

from __future__ import annotations

from nubbin.minimizers import Subset


class Inference:
    """The answers that monotonicity gives without a run.

    In a monotone problem every superset of an interesting subset is interesting and every
    subset of an uninteresting one is not (Wang, definition of a monotonic test case). The
    smallest interesting subset is what a minimizer works on, so the first rule can only ever
    answer for supersets of it; the second is the useful one. A real problem need not be
    monotone: a search may *skip* on these answers, never end on them.

    Costs no query. Each refused subset is kept as the elements of the current best that it lacks,
    so a refusal that lacks a single element has proved that element essential.
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
