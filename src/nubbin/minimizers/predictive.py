"""Predictive run-length deletion: every question is a coin toss, and the proofs are free."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nubbin.minimizers.belief import Belief
from nubbin.minimizers.last_element import LastElement
from nubbin.minimizers.minimizer import Minimizer, Query, Settings
from nubbin.minimizers.subset import Subset

#: Leaps end when this many gaps are expected to hide under them. The next lap finds these, but asks
#: for every proof after them again.
_MAX_HIDDEN_GAPS = 0.5
#: Without a proof, another lap pays only after one that left less than this fraction of the list.
_PAYING_FRACTION = 0.5


@dataclass(frozen=True, slots=True)
class Predictive:
    """Sweep from the end; ask for the next run of deletions whose success is a coin toss.

    "Delete these" succeeds if none of them is essential, so to minimize a list is adaptive group
    testing: each question should be worth a bit. A Bayesian belief over the length of the next
    deletable run says which question that is. A success deletes and extends the run, a failure
    bounds it. When one element is left in question, it is essential, and the question that failed
    is its proof, until something else is deleted.

    The sweep goes to and fro until every element was proved after the last success, so the result
    is 1-minimal and every single removal from it was really asked. It turns because what a success
    unlocks is often just behind it. If nobody needs that proof, one lap is enough, without
    leaps, unless it has deleted more than half.
    """

    kept: Subset
    belief: Belief
    at: int  # elements of `kept` that lie ahead in this lap
    gone: int = 0  # deleted so far in the current run
    bound: int = 0  # this many cannot all be deleted; 0 when no bound is known
    proved: int = 0  # essentials proved since the last success, the latest ones of the sweep
    behind: int = 0  # after a leap: the elements of it that may still be deleted
    hidden: float = 0.0  # the number of gaps that are expected to hide under leaps
    proving: bool = False  # whether this is a later lap, which asks every element alone
    proves: bool = True  # whether the sweep goes round until everything is proved
    swept: int = 0  # elements of `kept` at the beginning of this lap
    over: bool = False  # whether the sweep has ended without a proof
    learned: Belief | None = None  # what the first lap taught, for another list
    forward: bool = False  # the direction of this lap

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Predictive:
        """Return the state before the first query."""
        n, before = len(kept), settings.belief
        belief = before.as_prior(n) if before else Belief.prior(n)
        return cls(kept, belief, at=n, proves=settings.proves, swept=n)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the deletion nearest to a coin toss, given what the run's bounds exclude."""
        if self.over or self.proved == len(self.kept):
            return ()
        lo, hi, kind, chance = self._next()
        return (Query(self._without(lo, hi), kind, chance),)

    def _without(self, lo: int, hi: int) -> Subset:
        """Return what is kept but for these positions, which count from the end of the lap."""
        left = len(self.kept)
        return (
            self.kept.without(left - hi, left - lo) if self.forward else self.kept.without(lo, hi)
        )

    def _next(self) -> tuple[int, int, str, float]:
        """Return the positions to delete next, from and to, the kind, and the chance of success."""
        if self.behind:
            return self.at, self.at + (self.behind + 1) // 2, "edge", 0.5
        if self._may_leap and (leap := self.belief.leap(self.at - 1)):
            return self.at - 1 - leap, self.at - leap, "leap", 0.5
        most = self.bound - 1 if self.bound else self.gone + self.at
        length, chance = self.belief.toss(self.gone, self.bound, most)
        return self.at - (length - self.gone), self.at, "toss", chance

    @property
    def _may_leap(self) -> bool:
        """Whether what a leap passes over is looked at later."""
        between_runs = not (self.gone or self.bound)
        later = self.proves and not self.proving
        return between_runs and later and self.hidden < _MAX_HIDDEN_GAPS

    def tell(self, answers: tuple[bool, ...]) -> Predictive:
        """Extend the run after a success, bound it after a failure."""
        (interesting,) = answers
        lo, hi, kind, _ = self._next()
        size = hi - lo
        after = self
        if interesting:
            kept, gone = self._without(lo, hi), self.gone + size
            after = replace(self, kept=kept, gone=gone, proved=0)
        if kind == "edge":
            behind = self.behind - size if interesting else size - 1
            return replace(after, behind=behind)._around()
        if kind == "leap":
            leap = self.at - hi
            hidden = self.hidden + self.belief.hides(leap)
            if interesting:
                return replace(after, at=lo, behind=leap, hidden=hidden)
            return replace(self._over(leap + 1), hidden=hidden)
        after = replace(after, at=lo) if interesting else replace(self, bound=self.gone + size)
        if after.bound == after.gone + 1:
            belief = after.belief.observe(after.gone)
            after = replace(
                after, belief=belief, at=after.at - 1, gone=0, bound=0, proved=after.proved + 1
            )
        return after._around()

    def _over(self, count: int) -> Predictive:
        """Take the next elements for essential; the next lap will prove it."""
        belief = self.belief
        for _ in range(count):
            belief = belief.observe(0)
        return replace(self, belief=belief, at=self.at - count, proved=0)._around()

    def _around(self) -> Predictive:
        """Begin the next lap if this one is over: back again, past what was proved last.

        From the end again if the first lap met gaps, for more may hide under its early leaps; and
        without a proof to come, for then what is left goes best from there.
        """
        if self.at or self.behind:
            return self
        left = len(self.kept)
        learned = self.learned if self.proving else self.belief.observe_censored(self.gone)
        turns = self.proves and (self.proving or not self.belief.gaps)
        return Predictive(
            self.kept,
            Belief.of_essentials(left),
            at=left - self.proved if turns else left,
            proved=self.proved,
            proving=True,
            learned=learned,
            forward=self.forward != turns,
            proves=self.proves,
            swept=left,
            over=not self.proves and left >= _PAYING_FRACTION * self.swept,
        )


def learned(state: Minimizer) -> Belief | None:
    """Return what a finished minimizer has learned for lists like its own; None if nothing."""
    if isinstance(state, LastElement):
        return learned(state.algorithm)
    return state.learned if isinstance(state, Predictive) else None
