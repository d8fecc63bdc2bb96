"""Predictive run-length deletion: every question is a coin toss, and the proofs are free."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief, fair_chance
from nubbin_core.minimizers.bayesian.end import UNTRIED_PAY, End
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: Leaps end when this many gaps are expected to hide under them. The next lap finds these, but asks
#: for every proof after them again.
_MAX_HIDDEN_GAPS = 0.5


class _Sweep(NamedTuple):
    """The fields of `Predictive`."""

    kept: Subset
    end: End  # where the sweep comes from
    at: int  # elements of `kept` that lie ahead in this lap
    far: int = 0  # elements of `kept` beyond those, which the lap has passed from the other end
    other: End | None = None  # the other end of the first lap, if it was tried
    gone: int = 0  # deleted so far in the current run
    bound: int = 0  # this many cannot all be deleted; 0 when no bound is known
    proved: int = 0  # essentials proved since the last success, the latest ones of the sweep
    behind: int = 0  # after a leap: the elements of it that may still be deleted
    hidden: float = 0.0  # the number of gaps that are expected to hide under leaps
    leapt: bool = False  # whether any were taken for essential that this lap has not asked for yet
    proving: bool = False  # whether this is a later lap, which asks every element alone
    proves: bool = True  # whether the sweep goes round until everything is proved
    learned: Belief | None = None  # what the first lap taught, for another list
    forward: bool = False  # the direction of this lap
    fair: float = 0.5  # the chance of success at which a question tells most for its price


class Predictive(_Sweep):
    """Sweep from the end; ask for the next run of deletions whose success is a coin toss.

    "Delete these" succeeds if none of them is essential, so to minimize a list is adaptive group
    testing: each question should be worth a bit. A Bayesian belief over the length of the next
    deletable run says which question that is. A success deletes and extends the run, a failure
    bounds it. When one element is left in question, it is essential, and the question that failed
    is its proof, until something else is deleted.

    If the end pays poorly, the first lap goes on from the other one, until both meet: perhaps
    definitions follow their uses. It looks there before its first leap, too: what seems to be a
    cluster may be a list that can only be cut at its ends. Not so if the list is one of many that
    are alike, as those of a pass are: to try both ends of each costs more than it gains. The later
    laps go to and fro until every element was proved after the last success, so the result is
    1-minimal and every single removal from it was really asked. They turn because what a success
    unlocks is often just after it. If nobody needs that proof, one lap is enough, without leaps,
    unless it has deleted more than it left.
    """

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Predictive:
        """Return the state before the first query."""
        n, before = len(kept), settings.belief
        belief = before.as_prior(n) if before else Belief.prior(n)
        if settings.uses and not settings.proves:
            belief = belief.about(settings.uses)
        end = End.of(belief, n) if settings.alone else End(belief)
        fair = fair_chance(settings.price)
        return cls(kept, end, at=n, proves=settings.proves, fair=fair)

    @classmethod
    def proof(cls, kept: Subset) -> Predictive:
        """Return the first of the laps that ask for every element alone."""
        n = len(kept)
        return cls(kept, End(Belief.of_essentials(n)), at=n, proving=True)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the deletion nearest to a coin toss, given what the run's bounds exclude."""
        over = not self.at and not self.behind
        if over or self.proved == len(self.kept):
            return ()
        return (self._question[2],)

    def _without(self, lo: int, hi: int) -> Subset:
        """Return what is kept but for these positions, which count back from where the lap ends."""
        lo, hi, left = lo + self.far, hi + self.far, len(self.kept)
        return (
            self.kept.without(left - hi, left - lo) if self.forward else self.kept.without(lo, hi)
        )

    @cached_property
    def _question(self) -> tuple[int, int, Query]:
        """The positions to delete next, from and to, and the query that asks for that."""
        lo, hi, kind, chance = self._next()
        return lo, hi, Query(self._without(lo, hi), kind, chance)

    def _next(self) -> tuple[int, int, str, float]:
        """Return the positions to delete next, from and to, the kind, and the chance of success."""
        if self.behind:
            return self.at, self.at + (self.behind + 1) // 2, "edge", 0.5
        if self._may_leap and (leap := self.end.belief.leap(self.at - 1)):
            return self.at - 1 - leap, self.at - leap, "leap", 0.5
        most = self.bound - 1 if self.bound else self.gone + self.at
        border = self.gone + self._border
        length, chance = self.end.belief.toss(self.gone, self.bound, most, border, self.fair)
        return self.at - (length - self.gone), self.at, "toss", chance

    @property
    def _border(self) -> int:
        """The first element beyond those ahead; as a negative number if the sweep goes forward.

        So the border of a longer run has a lower number in both directions.
        """
        ahead = self.far + self.at
        return -self.kept[len(self.kept) - ahead] if self.forward else self.kept[ahead - 1] + 1

    @property
    def _may_leap(self) -> bool:
        """Whether what a leap passes over is looked at later, and first of all."""
        later = self.proves and not self.proving and not self.forward
        return self.is_between_runs and later and self.hidden < _MAX_HIDDEN_GAPS

    @property
    def is_between_runs(self) -> bool:
        """Whether nothing is known of the elements next to the sweep."""
        return not (self.gone or self.bound or self.behind)

    def tell(self, answers: tuple[bool, ...]) -> Predictive:
        """Extend the run after a success, bound it after a failure."""
        (interesting,) = answers
        lo, hi, query = self._question
        size, kind = hi - lo, query.kind
        end = self.end.after(size if interesting else 0)
        kept, gone, proved = self.kept, self.gone, self.proved
        if interesting:
            kept, gone, proved = query.kept, gone + size, 0
        if kind == "toss":
            at, bound = (lo, self.bound) if interesting else (self.at, gone + size)
            if bound == gone + 1:
                end = end.believing(end.belief.observe(gone))
                at, gone, bound, proved = at - 1, 0, 0, proved + 1
            after = self._replace(kept=kept, end=end, at=at, gone=gone, bound=bound, proved=proved)
            return after._around()
        after = self._replace(kept=kept, end=end, gone=gone, proved=proved)
        if kind == "edge":
            behind = self.behind - size if interesting else size - 1
            return after._replace(behind=behind)._around()
        leap = self.at - hi
        hidden = self.hidden + self.end.belief.hides(leap)
        after = after._replace(hidden=hidden, leapt=self.leapt or leap > 0)
        return after._replace(at=lo, behind=leap) if interesting else after._over(leap + 1)

    def proving_only(self, kept: Subset) -> Predictive:
        """Return the lap that proves what is kept: this one, unless some of it was deleted."""
        if len(kept) == len(self.kept):
            return self
        return Predictive.proof(kept)._replace(learned=self.learned, leapt=self.leapt)

    @property
    def passed(self) -> Subset:
        """The elements that the sweep has passed, and keeps."""
        return self._without(0, self.at)

    def where_only(self, kept: Subset) -> Predictive:
        """Return the sweep, between two runs, after others have deleted all but `kept`."""
        n, ahead = len(self.kept), self.far + self.at
        passed, left = self.kept[: self.far], self.kept[self.far : ahead]
        if self.forward:
            passed, left = self.kept[n - self.far :], self.kept[n - ahead : n - self.far]
        after = self._replace(kept=kept, far=len(passed & kept), at=len(left & kept), proved=0)
        return after._around()

    def _over(self, count: int) -> Predictive:
        """Take the next elements for essential; the next lap will prove it."""
        belief = self.end.belief
        for _ in range(count):
            belief = belief.observe(0)
        end = self.end.believing(belief)
        return self._replace(end=end, at=self.at - count, proved=0)._around()

    def _around(self) -> Predictive:
        """Go on at the better end; at the end of a lap, begin the next."""
        if not self.at and not self.behind:
            return self._next_lap()
        if not self.is_between_runs or not self._is_poor:
            return self
        far = len(self.kept) - self.at - self.far
        other = self.other or self._untried
        return self._replace(end=other, other=self.end, far=far, forward=not self.forward, proved=0)

    @property
    def _is_poor(self) -> bool:
        """Whether the sweep should go on at the other end.

        It should if that one promises more. Before a leap, it should if that one is untried, and if
        only a sweep from there may leap.
        """
        leaps = not self.proving and self.hidden < _MAX_HIDDEN_GAPS
        leaps = leaps and self.end.belief.leap(self.at - 1) > 0
        if self.other:
            return (leaps and self.forward) or self.end.is_poor_beside(self.other.pay)
        return self.end.may_be_left and (leaps or self.end.is_poor_beside(UNTRIED_PAY))

    @property
    def _untried(self) -> End:
        """The other end of the list, before its first question: expected to be like this one."""
        n = len(self.kept) + self.end.deleted
        return End.of(self.end.belief.as_prior(n), n)

    def _next_lap(self) -> Predictive:
        """Begin the next lap: back again, past what was proved last.

        From the end again if the first lap met gaps, because more may hide under its early leaps,
        and if it was swept from both ends. Without a proof to come, another lap pays only after one
        that deleted more than it left. A run that reaches what was passed from the other end goes
        on into it first.
        """
        if self.far and self.gone:
            return self._replace(end=self.end.for_good(), at=self.far, far=0)
        left = len(self.kept)
        learned = self.learned if self.proving else self.end.belief.observe_censored(self.gone)
        deleted = self.end.deleted + (self.other.deleted if self.other else 0)
        if not self.proves and deleted <= left:
            return self._replace(learned=learned, proving=True)
        if self.other:
            turns, proved, forward = False, 0, False
        else:
            turns = self.proves and (self.proving or not self.end.belief.gaps)
            proved, forward = self.proved, self.forward != turns
        return Predictive.proof(self.kept)._replace(
            at=left - proved if turns else left,
            proved=proved,
            learned=learned,
            forward=forward,
            proves=self.proves,
            leapt=self.leapt and not self.proving,
        )
