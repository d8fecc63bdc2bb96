"""`auto`: the predictive sweep, and others that ask beside it when its queries tell little."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.backward import Backward
from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.grouped import MIN_ELEMENTS, Units
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.ragged import MIN_ELEMENTS_RAGGED, Ragged
from nubbin_core.minimizers.bayesian.rivals import RIVALS, Rivals
from nubbin_core.minimizers.last_element import LastElement
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: How much likelier than even the sweep's refusals have to be, summed over them (1/2 each at most),
#: before the first lap pauses for what looks for groups.
_FORESEEN = 4.0

#: After so many successes that no monotone test allows, rivals are paid more; and after so many,
#: the account of the later laps counts as spent.
SURPRISES, MANY_SURPRISES = 2, 8

#: The account of the later laps: queries for each element left.
_QUERIES_PER_ELEMENT = 4

#: What takes turns once the account is spent. Each ends 1-minimal from wherever it begins.
HEDGES = (*RIVALS, Predictive.start)

#: What looks for groups of unequal lengths, after `Units`: from both ends.
RAGGED = (Ragged.start, Backward.of(Ragged.start))


class Auto(NamedTuple):
    """The predictive sweep, and bidders beside it: rivals, and what looks for groups.

    The sweep asks, unless a bidder has queries that were granted to it. A query whose refusal was
    foreseen tells little, so these refusals pay for bidders. What `Units` and `Ragged` remove is
    removed for the sweep, too; a rival has a list of its own. `Units` and then `Ragged` look for
    groups once the first lap foresees refusals, or at its end. Without a proof there is one lap,
    with groups only.

    The later laps have an account, enough to prove a few times over what the first lap has left. A
    kind problem never needs more. In another one each lap may unlock a little for the next, a
    square of queries in all. What was refused and is removed later, from a smaller list, shows such
    a problem: eight of these successes close the account. When it is closed or spent, the
    algorithms of `HEDGES` take turns in the place of the sweep. Each begins with the smallest
    subset found so far and has a query for each element that was left, twice as many in the next
    round, and so on. The first algorithm that ends with the smallest subset has proved it, and that
    is the result. Theorems 4 and 6 of record/limits.md bound what all of this asks.
    """

    sweep: Minimizer  # Predictive; once the account is spent, a hedge
    kept: Subset  # the smallest subset known to be interesting, from whomever
    whole: Subset  # the list
    groups: Minimizer | None = None  # what looks for groups, once it has had anything to ask
    finders: int = 0  # how many have looked for groups
    single: bool = False  # whether the first lap has removed an element alone
    foreseen: float = 0.0  # how much likelier than even the refusals of the first lap were
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
        return cls(sweep, sweep.kept, sweep.kept)

    @property
    def line(self) -> Minimizer:
        """The algorithm that asks next but for rivals: what looks for groups, or the sweep."""
        return self.groups if self.groups and self.groups.ask() else self.sweep

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
        return self._replace(sweep=ended, groups=None, rivals=Rivals())

    def _on_line(self, line: Minimizer, chance: float, *, interesting: bool) -> Auto:
        """Tell what asks but for rivals, and pay these; at the end, prove the smallest subset."""
        told, after = line.tell((interesting,)), self._replace(left=self.left - 1)
        after = after._told(told, chance, interesting=interesting, of_groups=line is self.groups)
        if after.account and not after.left and after.line.ask():
            after = after._turned()
        pay = 1.0 if after.account else 0.0 if interesting else max(1 - 2 * chance, 0.0)
        rivals = self.rivals.paid(told.kept, pay, surprised=after.surprises >= SURPRISES)
        if after.line.ask():
            return after._replace(rivals=rivals)
        if told.kept == after.kept:
            return after._replace(rivals=Rivals())
        return Auto.over(Predictive.proof(after.kept))._replace(rivals=rivals)

    def _told(self, told: Minimizer, chance: float, *, interesting: bool, of_groups: bool) -> Auto:
        """Return the state after the answer to a query that had this chance."""
        if of_groups:
            return self._replace(groups=told)._rejoined(told.kept)
        if self.turn or not isinstance(told, Predictive):
            return self._replace(sweep=told)
        if not self.account:
            single = self.single or len(self.sweep.kept) - len(told.kept) == 1
            foreseen = self.foreseen + (0.0 if interesting else told.fair - chance)
            return self._replace(foreseen=foreseen, single=single)._granted(told)
        surprises = self.surprises + (interesting and not told.leapt)
        left = self.left if surprises < MANY_SURPRISES else 0
        return self._replace(sweep=told, surprises=surprises, left=left)

    def _rejoined(self, kept: Subset) -> Auto:
        """Continue with the sweep if what looks for groups, which left `kept`, asks no more."""
        sweep = self.line
        if not isinstance(sweep, Predictive):
            return self
        if self._is_over(sweep):
            sweep = sweep.proving_only(kept) if self.proves else sweep._replace(kept=kept)
            return self._granted(sweep)
        shorter = len(kept) < len(sweep.kept)
        return self._replace(sweep=sweep.where_only(kept)) if shorter else self

    def _granted(self, sweep: Predictive) -> Auto:
        """Start what looks for groups where that is due; after the first lap, open the account.

        It is due once the lap has foreseen enough refusals, and at its end, unless the lap has
        removed an element alone.
        """
        after, over = self._replace(sweep=sweep, learned=sweep.learned), self._is_over(sweep)
        due = self.foreseen >= _FORESEEN and sweep.is_between_runs and sweep.ask()
        looks = (over or due) and not self.single
        for at in range(self.finders, 1 + len(RAGGED)) if looks else ():
            groups = after._finder(at)
            if groups.ask():
                return after._replace(groups=groups, finders=at + 1)
        if not over:
            return after._replace(foreseen=-self.foreseen) if due else after
        n = len(sweep.kept) if self.proves else 0
        return after._replace(account=n, left=_QUERIES_PER_ELEMENT * n)

    def _finder(self, at: int) -> Minimizer:
        """Return what looks for groups: first for equal ones, then for others from both ends.

        The latter ask nothing if the list is one of many or short, if half of it was removed, or if
        single elements were kept or removed apart; from the front, nothing if none was removed.
        """
        if not at:
            return Units.start(self.whole, self.kept, alone=self.alone)
        most_left = 2 * len(self.kept) > len(self.whole) >= MIN_ELEMENTS_RAGGED
        some_removed = self.finders == at and self.kept < self.whole
        due = some_removed if at > 1 else self.alone and most_left
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
