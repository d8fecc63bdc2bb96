"""Rivals: algorithms that reduce the whole list, each by itself, beside the sweep of `auto`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from nubbin_core.minimizers.backward import Backward
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.published.adaptive import Adaptive
from nubbin_core.minimizers.published.lithium import Lithium
from nubbin_core.minimizers.subset import Subset

#: What starts on the whole list. Each ends 1-minimal.
RIVALS: tuple[Callable[[Subset, Settings], Minimizer], ...] = (
    Lithium.start,
    Backward.of(Adaptive.start),
    Adaptive.start,
    Backward.of(Lithium.start),
)

#: What a refusal of the sweep pays that was certain, and any query of its later laps, as long as
#: nearly all of the list is left; and the power of the part that is left, by which the pay falls.
#: Rivals win where hardly anything can be removed. After surprises, each query pays the square of
#: that part, over the root of the number of runs that it makes.
_PAY = 1 / 8
_PAY_POWER = 32

#: What an accepted query costs the rival. A refused one costs 1.
_SUCCESS = 1 / 4

#: What any query costs a rival that has less left than the sweep.
_LEADING = 1 / 8


class Rival(NamedTuple):
    """An algorithm on the whole list, and what its queries have cost."""

    running: Minimizer
    cost: float = 0.0


class Rivals(NamedTuple):
    """The rivals that have not ended, and what the sweep has paid for their queries.

    What the sweep has deleted may be what an algorithm would have needed to be quick, so hedges
    come too late. Rivals ask once log2 N of the sweep's refusals are paid. The one asks next whose
    queries have cost least.
    """

    whole: int = 0  # the length of the list
    left: int = 0  # by the sweep
    earned: float = 0.0  # what queries may cost now
    running: tuple[Rival, ...] = ()
    ended: Minimizer | None = None  # the last that came to its end

    @classmethod
    def start(cls, kept: Subset) -> Rivals:
        """Return the state before the first query."""
        n, rivals = len(kept), tuple(Rival(start(kept, Settings())) for start in RIVALS)
        return cls(n, n, -_PAY * math.log2(n), rivals)

    def paid(self, left: Subset, pay: float, *, surprised: bool) -> Rivals:
        """Return the rivals after a query of the sweep, which has these elements left.

        Hedges may also begin with the whole list: nothing is paid until some of it is deleted.
        """
        part, runs = len(left) / max(self.whole, 1), len(left.runs)
        if not 0 < part < 1:
            return self
        pay = part**2 / math.sqrt(runs) if surprised else _PAY * pay * part**_PAY_POWER
        return self._replace(left=len(left), earned=self.earned + pay)

    def ask(self) -> tuple[Query, ...]:
        """Ask what the rival asks that has cost least, if the sweep has paid for it."""
        if self.earned <= 0 or not self.running:
            return ()
        return min(self.running, key=_cost).running.ask()

    def tell(self, answers: tuple[bool, ...]) -> Rivals:
        """Tell that rival."""
        rival = min(self.running, key=_cost)
        leads = len(rival.running.kept) < self.left
        cost = _LEADING if leads else _SUCCESS if answers[0] else 1.0
        told = Rival(rival.running.tell(answers), rival.cost + cost)
        others = tuple(each for each in self.running if each is not rival)
        after = self._replace(earned=self.earned - cost)
        if told.running.ask():
            return after._replace(running=(*others, told))
        return after._replace(running=others, ended=told.running)


def _cost(rival: Rival) -> float:
    return rival.cost
