"""`auto` with rivals: algorithms that reduce the whole list, each by itself, beside the sweep."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from nubbin_core.minimizers.backward import Backward
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.end import End
from nubbin_core.minimizers.bayesian.hedged import SURPRISES, Hedged
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.published.adaptive import Adaptive
from nubbin_core.minimizers.published.lithium import Lithium
from nubbin_core.minimizers.subset import Subset

#: What starts on the whole list. Each ends 1-minimal.
RIVALS: tuple[Callable[[Subset, Settings], Minimizer], ...] = (
    Backward.of(Adaptive.start),
    Lithium.start,
    Adaptive.start,
    Backward.of(Lithium.start),
)

#: What a foreseen refusal of the sweep pays, and any question of its later laps, as long as nearly
#: all of the list is left; and the power of the part that is left, by which the pay falls. So lists
#: with few essential elements pay little, and those where nine of ten are essential, too. After
#: SURPRISES, each question pays the square of that part.
_PAY = 1 / 8
_PAY_POWER = 12

#: What a success costs the rival. A refusal costs 1.
_SUCCESS = 1 / 4

#: What any question costs a rival that has less left than the sweep.
_LEADING = 1 / 8


@dataclass(frozen=True, slots=True)
class Rival:
    """An algorithm on the whole list, and what its questions have cost."""

    running: Minimizer
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Rivalled:
    """The hedged sweep, and rivals beside it that begin with the whole list.

    What the sweep has deleted may be what an algorithm would have needed to be quick, so hedges
    come too late. What the sweep foresees to be refused, and is, tells little: it pays for rivals,
    once log2 N of these refusals are over. The rival asks next whose questions have cost least. The
    first that ends with the smallest subset of all is the result. If the sweep ends first, and a
    rival has less left, that is proved. Theorem 6 of record/limits.md bounds what all of this asks.
    """

    hedged: Minimizer
    whole: Subset
    kept: Subset  # the smallest subset known to be interesting, from whomever
    rivals: tuple[Rival, ...]
    earned: float  # what the questions of rivals may cost now

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Minimizer:
        """Return the state before the first query.

        There are no rivals if nobody needs a proof, or if the list is one of many: on these, they
        would cost more than they save.
        """
        hedged = Hedged.start(kept, settings)
        if not (settings.proves and settings.alone) or len(kept) < 2:
            return hedged
        rivals = tuple(Rival(start(kept, Settings())) for start in RIVALS)
        return cls(hedged, kept, kept, rivals, earned=-_PAY * math.log2(len(kept)))

    @property
    def learned(self) -> Belief | None:
        """What the first lap has taught."""
        return getattr(self.hedged, "learned", None)

    @property
    def _next(self) -> Rival | None:
        """The rival whose turn it is: the one that has cost least, if the sweep has paid for it."""
        if self.earned <= 0 or not self.hedged.ask():
            return None
        return min(self.rivals, key=lambda rival: rival.cost, default=None)

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks whose turn it is."""
        rival = self._next
        return (rival.running if rival else self.hedged).ask()

    def tell(self, answers: tuple[bool, ...]) -> Rivalled:
        """Tell the algorithm whose turn it was; if a rival has the least at the end, prove that."""
        (query,), (interesting,) = self.ask(), answers
        rival = self._next
        kept = query.kept if interesting and len(query.kept) < len(self.kept) else self.kept
        after = replace(self, kept=kept)
        after = after._of_rival(rival, answers) if rival else after._of_sweep(query, answers)
        if after.hedged.ask() or after.hedged.kept == kept:
            return after
        end = End(Belief.of_essentials(len(kept)))
        return replace(after, hedged=Hedged.over(Predictive(kept, end, at=len(kept), proving=True)))

    def _of_sweep(self, query: Query, answers: tuple[bool, ...]) -> Rivalled:
        """Tell the sweep, and pay the rivals."""
        after = replace(self, hedged=self.hedged.tell(answers))
        if not isinstance(after.hedged, Hedged):  # a rival has come to its end
            return after
        part = len(after.hedged.kept) / len(self.whole)
        if part == 1:  # hedges and the trial also begin with the whole list
            return after
        pay = _PAY * part**_PAY_POWER
        if after.hedged.surprises >= SURPRISES:
            pay = part**2
        elif not after.hedged.account:  # the first lap
            pay *= 0.0 if answers[0] else max(1 - 2 * (query.chance or 0.0), 0.0)
        return replace(after, earned=self.earned + pay)

    def _of_rival(self, rival: Rival, answers: tuple[bool, ...]) -> Rivalled:
        """Tell a rival; at its end, it is the result or is dropped."""
        leads = len(rival.running.kept) < len(self.hedged.kept)
        cost = _LEADING if leads else _SUCCESS if answers[0] else 1.0
        told = Rival(rival.running.tell(answers), rival.cost + cost)
        others = tuple(each for each in self.rivals if each is not rival)
        after = replace(self, earned=self.earned - cost)
        if told.running.ask():
            return replace(after, rivals=(*others, told))
        if told.running.kept == self.kept:
            return replace(after, hedged=told.running, rivals=())
        return replace(after, rivals=others)
