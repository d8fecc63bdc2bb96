"""Rivals: algorithms that minimize the whole list, each by itself, beside the sweep of `auto`."""

from __future__ import annotations

import math
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings, Start
from nubbin_core.minimizers.published.adaptive import Adaptive
from nubbin_core.minimizers.published.lithium import Lithium
from nubbin_core.minimizers.subset import Subset
from nubbin_core.minimizers.wrappers import Backward

#: The functions that start the rivals. The result of each is 1-minimal.
RIVALS: tuple[Start, ...] = (
    Lithium.start,
    Backward.of(Adaptive.start),
    Adaptive.start,
    Backward.of(Lithium.start),
)

#: The pay for a rejection that the sweep was certain of, and for any query of its later rounds,
#: while nearly all of the list is kept. It falls with this power of the part that is kept, because
#: rivals win where hardly anything can be removed. If the test is known not to be monotone, each
#: query pays the square of that part, divided by the root of the number of runs kept.
_PAY = 1 / 8
_PAY_POWER = 32

#: The cost of an accepted query. A rejected one costs 1.
_SUCCESS = 1 / 4

#: The cost of any query of a rival that has kept fewer elements than the sweep.
_LEADING = 1 / 8


class Rival(NamedTuple):
    """A minimizer of the whole list, and the cost of its queries."""

    running: Minimizer
    cost: float = 0.0


class Rivals(NamedTuple):
    """The rivals that have not ended, and the sweep's pay for their queries.

    An algorithm may have been fast only on the whole list, so the fallbacks come too late. The
    rivals begin once log2 N of the sweep's rejections are paid. The next query is from the one of
    least cost.
    """

    whole: int = 0  # the length of the list
    left: int = 0  # the number of elements that the sweep has kept
    earned: float = 0.0  # the cost that queries may have now
    running: tuple[Rival, ...] = ()
    ended: Minimizer | None = None  # the last one that has ended

    @classmethod
    def start(cls, kept: Subset) -> Rivals:
        n, rivals = len(kept), tuple(Rival(start(kept, Settings())) for start in RIVALS)
        return cls(n, n, -_PAY * math.log2(n), rivals)

    def paid(self, left: Subset, pay: float, *, monotone: bool) -> Rivals:
        """Return the rivals after a query of the sweep, which has kept these elements.

        Nothing is paid while the list is whole: the fallbacks then begin with all of it, too.
        """
        part, runs = len(left) / max(self.whole, 1), len(left.runs)
        if not 0 < part < 1:
            return self
        pay = _PAY * pay * part**_PAY_POWER if monotone else part**2 / math.sqrt(runs)
        return self._replace(left=len(left), earned=self.earned + pay)

    def ask(self) -> tuple[Query, ...]:
        if self.earned <= 0 or not self.running:
            return ()
        return self._next.running.ask()

    def tell(self, answers: tuple[bool, ...]) -> Rivals:
        rival = self._next
        leads = len(rival.running.kept) < self.left
        cost = _LEADING if leads else _SUCCESS if answers[0] else 1.0
        told = Rival(rival.running.tell(answers), rival.cost + cost)
        others = tuple(each for each in self.running if each is not rival)
        after = self._replace(earned=self.earned - cost)
        if told.running.ask():
            return after._replace(running=(*others, told))
        return after._replace(running=others, ended=told.running)

    @property
    def _next(self) -> Rival:
        return min(self.running, key=lambda rival: rival.cost)
