"""`auto`: the predictive sweep, and other algorithms in turn once it asks more than it foresaw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nubbin.minimizers.adaptive import Adaptive
from nubbin.minimizers.backward import Backward
from nubbin.minimizers.belief import Belief
from nubbin.minimizers.last_element import LastElement
from nubbin.minimizers.lithium import Lithium
from nubbin.minimizers.minimizer import Minimizer, Query, Settings
from nubbin.minimizers.predictive import Predictive
from nubbin.minimizers.subset import Subset

#: What goes on in turn. Each ends 1-minimal from wherever it begins.
HEDGES: tuple[Callable[[Subset, Settings], Minimizer], ...] = (
    Lithium.start,
    Backward.of(Adaptive.start),
    Adaptive.start,
    Backward.of(Lithium.start),
    Predictive.start,
)


@dataclass(frozen=True, slots=True)
class Hedged:
    """The predictive sweep has an account: to prove what its first lap leaves, twice over.

    A kind problem never needs more. In another one each lap may unlock a little for the next, a
    square of questions in all. So when the account is spent, the algorithms of `HEDGES` take
    turns. Each begins with the smallest subset found so far and has as many questions as the
    sweep's account had, twice as many in the next round, and so on. The first that comes to its
    end has a 1-minimal subset, and that is the result.

    If the first lap asks F questions and leaves n elements, and one of the k hedges asks no more
    than Q questions from any interesting subset of these, the whole asks at most
    F + 2 n + 4 k max(n, Q).
    """

    running: Minimizer
    account: int = 0  # the elements that the first lap has left; 0 before its end
    left: int = 0  # questions that may be asked before the next turn
    turn: int = 0  # turns of hedges so far
    learned: Belief | None = None  # what the first lap has taught

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Hedged | Predictive:
        """Return the state before the first query; no hedge if nobody needs a proof."""
        sweep = Predictive.start(kept, settings)
        return cls(sweep) if settings.proves else sweep

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.running.kept

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks whose turn it is."""
        return self.running.ask()

    def tell(self, answers: tuple[bool, ...]) -> Hedged:
        """Go on; if the account is spent and there is more to ask, it is the next one's turn."""
        after = replace(self, running=self.running.tell(answers), left=self.left - 1)
        if not self.account:
            return after._opened()
        return after if after.left or not after.ask() else after._turned()

    def _opened(self) -> Hedged:
        """Open the account when the first lap is over."""
        sweep = self.running
        if not (isinstance(sweep, Predictive) and sweep.proving):
            return self
        n = len(sweep.kept)
        return replace(self, account=n, left=2 * n, learned=sweep.learned)

    def _turned(self) -> Hedged:
        """Begin the turn of the next hedge."""
        round_, at = divmod(self.turn, len(HEDGES))
        running = HEDGES[at](self.kept, Settings())
        left = self.account << round_
        return replace(self, running=running, left=left, turn=self.turn + 1)


def learned(state: Minimizer) -> Belief | None:
    """Return what a finished minimizer has learned for lists like its own; None if nothing."""
    if isinstance(state, LastElement):
        return learned(state.algorithm)
    return state.learned if isinstance(state, Hedged | Predictive) else None
