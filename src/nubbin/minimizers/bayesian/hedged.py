"""`auto`: the predictive sweep, and other algorithms in turn once it asks more than it foresaw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nubbin.minimizers.backward import Backward
from nubbin.minimizers.bayesian.belief import Belief
from nubbin.minimizers.bayesian.predictive import Predictive
from nubbin.minimizers.bayesian.trial import Trial
from nubbin.minimizers.last_element import LastElement
from nubbin.minimizers.minimizer import Minimizer, Query, Settings
from nubbin.minimizers.published.adaptive import Adaptive
from nubbin.minimizers.published.lithium import Lithium
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
    """The predictive sweep, a trial of Lithium beside its first lap, and an account for its proof.

    The account is to prove what is left, twice over. A kind problem never needs more. In another
    one each lap may unlock a little for the next, a square of questions in all. So when the account
    is spent, the algorithms of `HEDGES` take turns. Each begins with the smallest subset found so
    far and has a question for each element that was left, twice as many in the next round, and so
    on. The first that comes to its end has a 1-minimal subset, and that is the result. Theorem 4 of
    docs/limits.md bounds what all of this asks.
    """

    running: Minimizer
    trial: Trial  # beside the first lap
    sweep: Predictive | None = None  # while it is the trial's turn
    account: int = 0  # the elements that the first lap and the trial have left; 0 before that
    left: int = 0  # questions that may be asked before the next turn
    turn: int = 0  # turns of hedges so far
    learned: Belief | None = None  # what the first lap has taught

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Hedged | Predictive:
        """Return the state before the first query; no hedge if nobody needs a proof."""
        sweep = Predictive.start(kept, settings)
        return cls.over(sweep) if settings.proves else sweep

    @classmethod
    def over(cls, sweep: Predictive) -> Hedged:
        """Return a sweep that has not begun, with a trial and hedges."""
        return cls(sweep, Trial.start(sweep.kept))

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.running.kept

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks whose turn it is."""
        return self.running.ask()

    def tell(self, answers: tuple[bool, ...]) -> Hedged:
        """Go on; if the account is spent and there is more to ask, it is the next one's turn."""
        running = self.running.tell(answers)
        after = replace(self, running=running, left=self.left - 1)
        if self.account:
            return after if after.left or not after.ask() else after._turned()
        if isinstance(running, Trial):
            return after if running.ask() else after._swept(running)
        assert isinstance(running, Predictive)
        (query,) = self.ask()
        return after._tried(running, self.trial.beside(running.kept, query.chance or 0.0))

    def _tried(self, sweep: Predictive, trial: Trial) -> Hedged:
        """Give the trial its turn if it is due, or if the first lap is over."""
        after = self
        if sweep.proving:
            after, trial = replace(self, learned=sweep.learned), trial.allowed_at_the_end()
        elif sweep.is_between_runs and trial.is_due:
            trial = trial.allowed(1)
        if trial.ask():
            return replace(after, running=trial, sweep=sweep)
        return after._opened(sweep) if sweep.proving else replace(after, trial=trial)

    def _swept(self, trial: Trial) -> Hedged:
        """Go on with the sweep after the trial, unless that has come to its end."""
        sweep = self.sweep
        if sweep is None or trial.is_proved:
            return self
        if sweep.proving:
            return self._opened(sweep.proving_only(trial.kept))
        if len(trial.kept) < len(sweep.kept):
            sweep = sweep.where_only(trial.kept)
        after = replace(self, running=sweep, sweep=None, trial=trial)
        return after._tried(sweep, trial) if sweep.proving else after

    def _opened(self, sweep: Predictive) -> Hedged:
        """Open the account of the sweep's later laps."""
        n = len(sweep.kept)
        return replace(self, running=sweep, sweep=None, account=n, left=2 * n)

    def _turned(self) -> Hedged:
        """Begin the turn of the next hedge."""
        round_, at = divmod(self.turn, len(HEDGES))
        running = HEDGES[at](self.kept, Settings())
        left = self.account << round_
        return replace(self, running=running, left=left, turn=self.turn + 1)


def learned(state: Minimizer) -> Belief | None:
    """Return what a finished minimizer has learned for lists like its own; None if nothing."""
    if isinstance(state, LastElement | Backward):
        return learned(state.algorithm)
    found = getattr(state, "learned", None)
    return found if isinstance(found, Belief) else None
