"""`auto`: the predictive sweep, and other algorithms beside it when its queries tell little."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.bayesian.ragged import MIN_ELEMENTS_RAGGED, Ragged
from nubbin_core.minimizers.bayesian.rivals import RIVALS, Rivals
from nubbin_core.minimizers.bayesian.units import MIN_ELEMENTS, Units, cuts_inside, cuts_of
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.wrappers import Backward, LastElement

#: The search for groups begins when the sweep's rejections were this much likelier than even, in
#: all (1/2 each at most).
_FORESEEN = 4.0

#: After the first number of successes that no monotone test allows, rivals are paid more; after the
#: second, the fallbacks begin.
VIOLATIONS, MANY_VIOLATIONS = 2, 8

#: The budget of the later rounds: queries for each element left after the first one.
_QUERIES_PER_ELEMENT = 4

#: The algorithms that take turns after the budget. The result of each is 1-minimal.
FALLBACKS = (*RIVALS, Predictive.start)

#: The searches for groups of unequal lengths, from both ends. They follow `Units`.
RAGGED = (Ragged.start, Backward.of(Ragged.start))


class Auto(NamedTuple):
    """The predictive sweep, with rivals and a search for groups.

    A rejection that the sweep foresaw tells little, so it pays for a query of the rivals, each of
    which has a list of its own. Once the first round foresees rejections, or at its end, `Units`
    and then `Ragged` search for groups; the sweep continues with the elements they keep. Without a
    proof there is one round, with groups only.

    The later rounds have a budget that proves the first round's result a few times over, which is
    enough for a monotone test. With another test each round may remove a little and make another
    removal possible, N rounds of N queries in all. If a removal succeeds that was rejected
    before, from a larger subset, the test is not monotone; eight of these successes end the budget.
    After the budget, the algorithms of `FALLBACKS` take turns. Each begins with the smallest subset
    found so far. A turn has one query for each element that was left, twice as many in the
    second round of turns, and so on. The first algorithm that ends with the smallest subset has
    proved it. Theorems 4 and 6 of record/limits.md bound the number of queries.
    """

    sweep: Minimizer  # Predictive; after the budget, a fallback
    kept: Subset  # the smallest subset that the test has accepted
    whole: Subset  # the list
    groups: Minimizer | None = None  # the current search for groups
    searches: int = 0  # the number of searches for groups so far
    cuts: frozenset[int] = frozenset()  # the borders, in `whole`, of what the first round removed
    foreseen: float = 0.0  # how much likelier than even the rejections of the first round were
    rivals: Rivals = Rivals()
    budget: int = 0  # the number of elements left after the first round; 0 before its end
    left: int = 0  # queries that may be asked before the next turn
    turn: int = 0  # the number of turns of fallbacks so far
    proves: bool = True
    alone: bool = True  # whether no other lists are similar
    learned: Belief | None = None  # the belief after the first round
    violations: int = 0  # successes of later rounds that no monotone test allows

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Auto | Predictive:
        """Return the state before the first query; only a sweep for a short list without proof.

        There are no rivals without a proof, or if the list is one of many: on these, they would
        cost more than they save.
        """
        sweep, proves, alone = Predictive.start(kept, settings), settings.proves, settings.alone
        if not proves and len(kept) < MIN_ELEMENTS:
            return sweep
        rivals = Rivals.start(kept) if proves and alone and len(kept) > 1 else Rivals()
        return cls.over(sweep)._replace(proves=proves, alone=alone, rivals=rivals)

    @classmethod
    def over(cls, sweep: Predictive) -> Auto:
        """Return `auto` without rivals, given a sweep that has not begun."""
        return cls(sweep, sweep.kept, sweep.kept)

    @property
    def _main(self) -> Minimizer:
        """The minimizer that asks if no rival does: the search for groups, or the sweep."""
        return self.groups if self.groups and self.groups.ask() else self.sweep

    def ask(self) -> tuple[Query, ...]:
        """Return the query of a rival, a search for groups, or the sweep."""
        return self.rivals.ask() or self._main.ask()

    def tell(self, answers: tuple[bool, ...]) -> Auto:
        paid, main, (accepted,) = self.rivals.ask(), self._main, answers
        (query,) = paid or main.ask()
        smaller = accepted and len(query.kept) < len(self.kept)
        after = self._replace(kept=query.kept if smaller else self.kept)
        if not paid:
            return after._main_told(main, query.chance or 0.0, accepted=accepted)
        rivals = self.rivals.tell(answers)
        if rivals.ended and rivals.ended.kept == after.kept:
            return after._only(rivals.ended)
        return after._replace(rivals=rivals)

    def _only(self, minimizer: Minimizer) -> Auto:
        return self._replace(sweep=minimizer, groups=None, rivals=Rivals())

    def _main_told(self, main: Minimizer, chance: float, *, accepted: bool) -> Auto:
        """Tell the minimizer, and pay the rivals; at the end, prove the smallest subset."""
        told, after = main.tell((accepted,)), self._replace(left=self.left - 1)
        if main is self.groups:
            after = after._replace(groups=told)._rejoined(told.kept)
        else:
            after = after._swept(told, chance, accepted=accepted)
        if after.budget and not after.left and after._main.ask():
            after = after._next_turn()
        pay = 1.0 if after.budget else 0.0 if accepted else max(1 - 2 * chance, 0.0)
        rivals = self.rivals.paid(told.kept, pay, monotone=after.violations < VIOLATIONS)
        if after._main.ask():
            return after._replace(rivals=rivals)
        if told.kept == after.kept:
            return after._replace(rivals=Rivals())
        return Auto.over(Predictive.proof(after.kept))._replace(rivals=rivals)

    def _swept(self, told: Minimizer, chance: float, *, accepted: bool) -> Auto:
        """Return the state after the answer to a query of the sweep that had this chance."""
        if self.turn or not isinstance(told, Predictive):
            return self._replace(sweep=told)
        if not self.budget:
            cuts = self.cuts
            if accepted and not self._single:
                cuts |= cuts_of(self.whole, self.sweep.kept.less(told.kept))
            foreseen = self.foreseen + (0.0 if accepted else told.fair - chance)
            return self._replace(foreseen=foreseen, cuts=cuts)._searching(told)
        violations = self.violations + (accepted and not told.has_skipped)
        left = self.left if violations < MANY_VIOLATIONS else 0
        return self._replace(sweep=told, violations=violations, left=left)

    @property
    def _single(self) -> bool:
        """Whether the first round has removed an element alone, other than odd ones at an end."""
        inside = cuts_inside(self.whole, self.cuts)
        return any(at + 1 in inside for at in inside)

    def _rejoined(self, kept: Subset) -> Auto:
        """Continue with the sweep if the search for groups, which has kept `kept`, has ended."""
        sweep = self._main
        if not isinstance(sweep, Predictive):
            return self
        shorter = len(kept) < len(sweep.kept)
        after = self if shorter else self._replace(searches=self.searches | 1)
        if self._is_over(sweep):
            sweep = sweep.proving_only(kept) if self.proves else sweep._replace(kept=kept)
            return after._searching(sweep)
        return after._replace(sweep=sweep.narrowed_to(kept)) if shorter else after

    def _searching(self, sweep: Predictive) -> Auto:
        """Begin a search for groups when it is due; after the first round, set the budget.

        It is due once the round has foreseen enough rejections, and at its end, unless the round
        has removed an element alone.
        """
        after, over = self._replace(sweep=sweep, learned=sweep.learned), self._is_over(sweep)
        due = self.foreseen >= _FORESEEN and sweep.is_between_runs and sweep.ask()
        searching = (over or due) and not self._single
        for at in range(self.searches, 2 * len(RAGGED) + 1) if searching else ():
            groups = after._search(at)
            if groups.ask():
                return after._replace(groups=groups, searches=at + 1)
        if not over:
            return after._replace(foreseen=-self.foreseen) if due else after
        n = len(sweep.kept) if self.proves else 0
        return after._replace(budget=n, left=_QUERIES_PER_ELEMENT * n)

    def _search(self, at: int) -> Minimizer:
        """Return a search for groups: of equal ones first, and again after one of others.

        The latter are from both ends. They ask nothing if the list is one of many or short, if half
        of it was removed, or if single elements were kept or removed between others or at an end of
        longer parts. From the front, nothing is asked unless something was removed.
        """
        whole, kept = self.whole, self.kept
        inside = cuts_inside(whole, self.cuts)
        if not at % 2:
            return Units.start(whole, kept, inside, alone=self.alone)
        most_left = 2 * len(kept) > len(whole) >= MIN_ELEMENTS_RAGGED
        due = kept < whole if at > 1 else self.alone and most_left
        grouped = all(b - a > 1 for a, b in pairwise(kept.bounds)) and not (
            inside and {1, len(whole) - 1} & self.cuts
        )
        return RAGGED[at // 2](kept if due and grouped else EMPTY, Settings())

    def _is_over(self, first_round: Predictive) -> bool:
        return first_round.proving and not self.budget

    def _next_turn(self) -> Auto:
        round_, at = divmod(self.turn, len(FALLBACKS))
        after = self._only(FALLBACKS[at](self.kept, Settings()))
        return after._replace(left=self.budget << round_, turn=self.turn + 1, rivals=self.rivals)


def learned(state: Minimizer) -> Belief | None:
    """Return the belief of a finished minimizer, for similar lists; None if it has none."""
    if isinstance(state, LastElement | Backward):
        return learned(state.minimizer)
    found = getattr(state, "learned", None)
    return found if isinstance(found, Belief) else None
