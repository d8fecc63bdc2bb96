"""`auto`: the predictive sweep, and others that ask beside it when its queries tell little."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.backward import Backward
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.end import End
from nubbin_core.minimizers.bayesian.grouped import MIN_ELEMENTS, Units
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.ragged import MIN_ELEMENTS_RAGGED, Ragged
from nubbin_core.minimizers.bayesian.rivals import RIVALS, Rivals
from nubbin_core.minimizers.bayesian.trial import Trial
from nubbin_core.minimizers.last_element import LastElement
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: After so many successes that no monotone test allows, the trial continues beside the later laps,
#: and rivals are paid more.
SURPRISES = 3

#: The account of the later laps, and of the trial beside them: queries for each element left.
_QUERIES_PER_ELEMENT = 4

#: What takes turns once the account is spent. Each ends 1-minimal from wherever it begins.
HEDGES = (*RIVALS, Predictive.start)

#: What looks for groups of unequal lengths, after the first lap and after `Units`: from both ends.
RAGGED = (Ragged.start, Backward.of(Ragged.start))


class Auto(NamedTuple):
    """The predictive sweep, and bidders beside it: rivals, what looks for groups, and a trial.

    The sweep asks, unless a bidder has queries that were granted to it. A query whose refusal was
    foreseen tells little, so these refusals pay for bidders. What a bidder removes is removed for
    the sweep, too, but a rival has a list of its own. `Units` looks for groups once the first lap
    foresees refusals, `Ragged` only after it. Without a proof there is one lap, with groups only.

    The later laps have an account, enough to prove a few times over what the first lap has left. A
    kind problem never needs more. In another one each lap may unlock a little for the next, a
    square of queries in all. What was refused and is removed later, from a smaller list, shows such
    a problem: after three of these successes the trial asks a query for each of the sweep's. When
    the account is spent, the algorithms of `HEDGES` take turns in the place of the sweep. Each
    begins with the smallest subset found so far and has a query for each element that was left,
    twice as many in the next round, and so on. The first algorithm that ends with the smallest
    subset has proved it, and that is the result. Theorems 4 and 6 of record/limits.md bound what
    all of this asks.
    """

    sweep: Minimizer  # Predictive; once the account is spent, a hedge
    kept: Subset  # the smallest subset known to be interesting, from whomever
    whole: Subset  # the list
    trial: Trial  # beside the first lap, and beside later ones if the problem is not monotone
    groups: Minimizer | None = None  # what looks for groups, once it has had anything to ask
    finders: int = 0  # how many have looked for groups
    rivals: Rivals = Rivals()
    account: int = 0  # the elements that were left when it was opened, after the first lap
    left: int = 0  # queries that may be asked before the next turn
    turn: int = 0  # turns of hedges so far
    proves: bool = True
    alone: bool = True  # if not, many lists are like this one
    learned: Belief | None = None  # what the first lap has taught
    surprises: int = 0  # successes of later laps that no monotone test allows

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Auto | Predictive:
        """Return the state before the first query; only a sweep for a short list without proof.

        There are no rivals if nobody needs a proof, or if the list is one of many: on these, they
        would cost more than they save.
        """
        sweep, proves, alone = Predictive.start(kept, settings), settings.proves, settings.alone
        if not proves and len(kept) < MIN_ELEMENTS:
            return sweep
        rivals = Rivals.start(kept) if proves and alone and len(kept) > 1 else Rivals()
        return cls.over(sweep)._replace(proves=proves, alone=alone, rivals=rivals)

    @classmethod
    def over(cls, sweep: Predictive) -> Auto:
        """Return a sweep that has not begun, with all beside it but rivals."""
        return cls(sweep, sweep.kept, sweep.kept, Trial.start(sweep.kept))

    @property
    def line(self) -> Minimizer:
        """The algorithm that asks next but for rivals: units, the trial or the sweep."""
        beside = (self.groups, self.trial)
        return next((each for each in beside if each and each.ask()), self.sweep)

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks whose turn it is."""
        return self.rivals.ask() or self.line.ask()

    def tell(self, answers: tuple[bool, ...]) -> Auto:
        """Tell the algorithm whose turn it was."""
        paid, line, (interesting,) = self.rivals.ask(), self.line, answers
        (query,) = paid or line.ask()
        smaller = interesting and len(query.kept) < len(self.kept)
        after = self._replace(kept=query.kept if smaller else self.kept)
        if not paid:
            return after._on_line(line, query.chance or 0.0, interesting=interesting)
        rivals = self.rivals.tell(answers)
        if rivals.ended and rivals.ended.kept == after.kept:
            return after._proved_by(rivals.ended)
        return after._replace(rivals=rivals)

    def _proved_by(self, ended: Minimizer) -> Auto:
        return self._replace(sweep=ended, groups=None, trial=self.trial.allowed(0), rivals=Rivals())

    def _on_line(self, line: Minimizer, chance: float, *, interesting: bool) -> Auto:
        """Tell what asks but for rivals, and pay these; at the end, prove the smallest subset."""
        told, after = line.tell((interesting,)), self._replace(left=self.left - 1)
        after = after._told(told, chance, interesting=interesting, of_groups=line is self.groups)
        if after.account and not after.left and after.line.ask():
            after = after._turned()
        pay = 1.0 if after.account else 0.0 if interesting else max(1 - 2 * chance, 0.0)
        rivals = self.rivals.paid(len(told.kept), pay, surprised=after.surprises >= SURPRISES)
        if after.line.ask():
            return after._replace(rivals=rivals)
        if told.kept == after.kept:
            return after._replace(rivals=Rivals())
        end = End(Belief.of_essentials(len(after.kept)))
        proof = Predictive(after.kept, end, at=len(after.kept), proving=True)
        return Auto.over(proof)._replace(rivals=rivals)

    def _told(self, told: Minimizer, chance: float, *, interesting: bool, of_groups: bool) -> Auto:
        """Return the state after the answer to a query that had this chance."""
        if of_groups:
            return self._replace(groups=told)._rejoined(told.kept)
        if isinstance(told, Trial):
            after = self._replace(trial=told)
            return after._proved_by(told) if told.is_proved else after._rejoined(told.kept)
        if self.turn or not isinstance(told, Predictive):
            return self._replace(sweep=told)
        if not self.account:
            trial = self.trial.beside(told.kept, told.fair - chance)
            return self._replace(trial=trial)._granted(told)
        surprises = self.surprises + (interesting and not told.leapt)
        trial = self.trial.where_only(told.kept)
        return self._replace(trial=trial, surprises=surprises)._granted(told)

    def _rejoined(self, kept: Subset) -> Auto:
        """Continue with the sweep if units or the trial, which left `kept`, ask no more."""
        sweep = self.line
        if not isinstance(sweep, Predictive):
            return self
        if self._is_over(sweep):
            sweep = sweep.proving_only(kept) if self.proves else sweep._replace(kept=kept)
        elif len(kept) < len(sweep.kept):
            sweep = sweep.where_only(kept)
        after = self._replace(sweep=sweep, trial=self.trial.where_only(kept))
        return after._granted(sweep) if self._is_over(sweep) else after

    def _granted(self, sweep: Predictive) -> Auto:
        """Grant units and the trial what is due; after the first lap, open the account.

        Queries are due beside a lap if it has foreseen enough refusals, or met enough surprises,
        and once the first lap is over.
        """
        after, trial = self._replace(sweep=sweep, learned=sweep.learned), self.trial
        over = self._is_over(sweep)
        due = self.surprises >= SURPRISES if self.account else trial.is_due
        if not over and not (due and sweep.is_between_runs and sweep.ask()):
            return after
        for at in () if self.account else range(self.finders, 1 + over * len(RAGGED)):
            groups = after._finder(at)
            if groups.ask():
                return after._replace(groups=groups, finders=at + 1)
        if not self.proves:
            return after
        trial = trial.allowed_at_the_end() if over else trial.allowed(1)
        if not over or trial.ask():
            return after._replace(trial=trial)
        n = len(sweep.kept)
        return after._replace(account=n, left=_QUERIES_PER_ELEMENT * n)

    def _finder(self, at: int) -> Minimizer:
        """Return what looks for groups: first for equal ones, then for others from both ends.

        The latter ask nothing if the list is one of many or short, if half of it was removed, or if
        single elements were.
        """
        if not at:
            return Units.start(self.whole, self.kept, alone=self.alone)
        most_left = 2 * len(self.kept) > len(self.whole) >= MIN_ELEMENTS_RAGGED
        due = self.finders == at if at > 1 else self.alone and most_left
        grouped = all(b - a > 1 for a, b in pairwise(self.kept.bounds))
        return RAGGED[at - 1](self.kept if due and grouped else EMPTY, Settings())

    def _is_over(self, first_lap: Predictive) -> bool:
        return first_lap.proving and not self.account

    def _turned(self) -> Auto:
        """Begin the turn of the next hedge."""
        round_, at = divmod(self.turn, len(HEDGES))
        after = self._proved_by(HEDGES[at](self.kept, Settings()))
        return after._replace(left=self.account << round_, turn=self.turn + 1, rivals=self.rivals)


def learned(state: Minimizer) -> Belief | None:
    """Return what a finished minimizer has learned for lists like its own; None if nothing."""
    if isinstance(state, LastElement | Backward):
        return learned(state.algorithm)
    found = getattr(state, "learned", None)
    return found if isinstance(found, Belief) else None
