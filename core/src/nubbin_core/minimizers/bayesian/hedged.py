"""`auto`: the predictive sweep, and other algorithms in turn once it asks more than it foresaw."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nubbin_core.minimizers.backward import Backward
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.grouped import MIN_ELEMENTS, Units
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.trial import Trial
from nubbin_core.minimizers.last_element import LastElement
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.published.adaptive import Adaptive
from nubbin_core.minimizers.published.lithium import Lithium
from nubbin_core.minimizers.subset import Subset

#: After so many successes that no monotone test allows, the trial goes on beside the later laps,
#: and rivals are paid more.
SURPRISES = 3

#: The account of the later laps, and of the trial beside them: questions for each element left.
_QUESTIONS_PER_ELEMENT = 4

#: What goes on in turn. Each ends 1-minimal from wherever it begins.
HEDGES: tuple[Callable[[Subset, Settings], Minimizer], ...] = (
    Lithium.start,
    Backward.of(Adaptive.start),
    Adaptive.start,
    Backward.of(Lithium.start),
    Predictive.start,
)


class Hedged(NamedTuple):
    """The predictive sweep, a trial of Lithium beside it, and an account for its proof.

    Once the first lap foresees refusals, or at its end, `Units` looks for groups of elements that
    can be removed only together; it asks nothing if what was removed rules them out. Without a
    proof there is one lap, with `Units`, but without a trial and hedges.

    The account is to prove what is left, a few times over. A kind problem never needs more. In
    another one each lap may unlock a little for the next, a square of questions in all. What was
    refused and goes later, from a smaller list, shows such a problem: after three of these
    successes the trial asks a question for each of the sweep's. When the account is spent, the
    algorithms of `HEDGES` take turns. Each begins with the smallest subset found so far and has a
    question for each element that was left, twice as many in the next round, and so on. The first
    that comes to its end has a 1-minimal subset, and that is the result. Theorem 4 of
    record/limits.md bounds what all of this asks.
    """

    running: Minimizer
    whole: Subset  # the list
    trial: Trial  # beside the first lap, and beside later ones if the problem is not monotone
    sweep: Predictive | None = None  # while it is the trial's turn
    account: int = 0  # the elements that the first lap and the trial have left; 0 before that
    left: int = 0  # questions that may be asked before the next turn
    turn: int = 0  # turns of hedges so far
    proves: bool = True  # if not, there is one lap, with units but without trial and hedges
    alone: bool = True  # if not, many lists are like this one
    grouped: bool = False  # whether units were tried
    learned: Belief | None = None  # what the first lap has taught
    surprises: int = 0  # successes of later laps that no monotone test allows

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Hedged | Predictive:
        """Return the state before the first query; only a sweep for a short list without proof."""
        sweep = Predictive.start(kept, settings)
        if not settings.proves and len(kept) < MIN_ELEMENTS:
            return sweep
        return cls.over(sweep)._replace(proves=settings.proves, alone=settings.alone)

    @classmethod
    def over(cls, sweep: Predictive) -> Hedged:
        """Return a sweep that has not begun, with a trial and hedges."""
        return cls(sweep, sweep.kept, Trial.start(sweep.kept))

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
        after = self._replace(running=running, left=self.left - 1)
        if isinstance(running, Trial | Units):
            after = after._swept(running)
        elif not self.turn:
            (query,), (interesting,) = self.ask(), answers
            after = after._beside(query.chance or 0.0, interesting=interesting)
        return after._turned() if after.account and not after.left and after.ask() else after

    def _beside(self, chance: float, *, interesting: bool) -> Hedged:
        """Tell the trial of a question of the sweep, which had this chance."""
        sweep = self.running
        assert isinstance(sweep, Predictive)
        surprised = bool(self.account) and interesting and not sweep.leapt
        after = self._replace(surprises=self.surprises + surprised)
        if self.account:
            return after._tried(sweep, self.trial.where_only(sweep.kept))
        return after._tried(sweep, self.trial.beside(sweep.kept, sweep.fair - chance))

    def _tried(self, sweep: Predictive, trial: Trial) -> Hedged:
        """Give the trial its turn if it is due: beside a lap, or after the first one."""
        first_lap_over = self._has_ended(sweep)
        due = sweep.is_between_runs and bool(sweep.ask()) and self._is_due(trial)
        after = self._replace(learned=sweep.learned)
        if (first_lap_over or due) and not (self.grouped or self.account):
            units = Units.start(self.whole, sweep.kept, alone=self.alone)
            if units.ask():
                return after._replace(running=units, sweep=sweep, trial=trial, grouped=True)
        if not self.proves:
            return after._replace(running=sweep, trial=trial)
        if first_lap_over:
            trial = trial.allowed_at_the_end()
        elif due:
            trial = trial.allowed(1)
        if trial.ask():
            return after._replace(running=trial, sweep=sweep)
        return (
            after._opened(sweep) if first_lap_over else after._replace(running=sweep, trial=trial)
        )

    def _has_ended(self, first_lap: Predictive) -> bool:
        """Whether the first lap is over, and its account is still to be opened."""
        return first_lap.proving and not self.account

    def _is_due(self, trial: Trial) -> bool:
        """Whether the trial asks next: often enough in the first lap, later all the time."""
        return self.surprises >= SURPRISES if self.account else trial.is_due

    def _swept(self, beside: Trial | Units) -> Hedged:
        """Go on with the sweep after the trial or units, unless the trial has proved all."""
        sweep = self.sweep
        if sweep is None or beside.ask() or (isinstance(beside, Trial) and beside.is_proved):
            return self
        trial = self.trial.where_only(beside.kept) if isinstance(beside, Units) else beside
        after = self._replace(sweep=None, trial=trial)
        if self._has_ended(sweep):
            if not self.proves and len(beside.kept) < len(sweep.kept):
                return after
            sweep = sweep.proving_only(trial.kept)
            return after._opened(sweep) if beside is trial else after._tried(sweep, trial)
        if len(trial.kept) < len(sweep.kept):
            sweep = sweep.where_only(trial.kept)
        if self._has_ended(sweep):
            return after._tried(sweep, trial)
        return after._replace(running=sweep)

    def _opened(self, sweep: Predictive) -> Hedged:
        """Open the account of the sweep's later laps, and of the trial beside them."""
        n = len(sweep.kept)
        left = _QUESTIONS_PER_ELEMENT * n
        return self._replace(running=sweep, sweep=None, account=n, left=left)

    def _turned(self) -> Hedged:
        """Begin the turn of the next hedge."""
        round_, at = divmod(self.turn, len(HEDGES))
        running = HEDGES[at](self.kept, Settings())
        left = self.account << round_
        return self._replace(running=running, left=left, turn=self.turn + 1)


def learned(state: Minimizer) -> Belief | None:
    """Return what a finished minimizer has learned for lists like its own; None if nothing."""
    if isinstance(state, LastElement | Backward):
        return learned(state.algorithm)
    found = getattr(state, "learned", None)
    return found if isinstance(found, Belief) else None
