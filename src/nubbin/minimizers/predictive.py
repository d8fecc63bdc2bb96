"""Predictive run-length deletion: every question a coin toss, proofs for free."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nubbin.minimizers.belief import Belief
from nubbin.minimizers.minimizer import Query, Settings
from nubbin.minimizers.subset import Subset


@dataclass(frozen=True, slots=True)
class Predictive:
    """Sweep from the end; ask for the next run of deletions whose success is a coin toss.

    "Delete these" succeeds when they hold no essential element, so minimizing a list is
    adaptive group testing: each question should be worth a bit. A Bayesian belief over the
    length of the next deletable run says which question that is; success deletes and extends
    the run, failure bounds it. When one element is left between, it is essential, and the
    question that failed is its proof, until something else is deleted.

    The sweep goes round and round until every element was proved after the last success, so
    the result is 1-minimal and every single removal from it was really asked.
    """

    kept: Subset
    belief: Belief
    at: int  # how many elements of `kept` lie ahead in this lap
    gone: int = 0  # deleted so far in the current run
    bound: int = 0  # this many cannot all be deleted; 0 when no bound is known
    proved: int = 0  # essentials proved since the last success, the latest ones of the sweep

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Predictive:
        """Return the state before the first query."""
        return cls(kept, Belief.prior(len(kept)), at=len(kept))

    def ask(self) -> tuple[Query, ...]:
        """Ask for the deletion nearest to a coin toss, given what the run's bounds exclude."""
        if self.proved == len(self.kept):
            return ()
        size, chance = self._toss()
        return (Query(self.kept.without(self.at - size, self.at), "toss", chance),)

    def tell(self, answers: tuple[bool, ...]) -> Predictive:
        """Extend the run after a success, bound it after a failure."""
        (interesting,) = answers
        size, _ = self._toss()
        if interesting:
            kept = self.kept.without(self.at - size, self.at)
            after = replace(self, kept=kept, at=self.at - size, gone=self.gone + size, proved=0)
        else:
            after = replace(self, bound=self.gone + size)
        if after.bound == after.gone + 1:
            belief = after.belief.saw(after.gone)
            after = replace(
                after, belief=belief, at=after.at - 1, gone=0, bound=0, proved=after.proved + 1
            )
        if after.at == 0:
            left = len(after.kept)
            return replace(after, belief=Belief.of_essentials(left), at=left, gone=0, bound=0)
        return after

    def _toss(self) -> tuple[int, float]:
        """Return how many elements to delete next, and the chance that they can go."""
        most = self.bound - 1 if self.bound else self.gone + self.at
        length, chance = self.belief.toss(self.gone, self.bound, most)
        return length - self.gone, chance
