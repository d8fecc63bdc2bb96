"""Elsewhere: a list may have several minimal sets, and a sweep may have found a large one."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.auto import Auto
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The chance, as assumed, that there is another minimal set.
_CHANCE = 0.1

#: How many queries elsewhere, but for proofs of smaller sets, each query for the first result pays.
_QUERIES_ELSEWHERE = 1.5


class Elsewhere(NamedTuple):
    """Runs `auto`; then looks for a smaller set among the elements that no set found so far has.

    A sweep keeps the set whose farthest element is nearest, whatever its size. So one query asks
    whether the list without the result is interesting. If the test accepts, another sweep begins
    there. When it has passed as many elements as the result has, all sets among those that it has
    left have at least as many. So it ends, and the elements passed are excluded from the next
    query, too. Of k disjoint minimal sets, each query excludes at least one.

    Costs one query if all minimal sets have an element in common with the result, and none if the
    result has a single element. Otherwise, at most one and a half times as many queries as the
    result has cost, and what proves each smaller set. A sweep that has found no smaller set ends
    when these are spent, or when hedges would take its place. Nothing is asked in a list that is
    one of many, or needs no proof.
    """

    running: Auto | None
    kept: Subset  # the smallest subset known to be interesting
    rest: Subset  # the elements of no set that was found
    queries: float = 0.0  # that may be asked elsewhere, paid by those for the first result
    found: bool = False  # whether there is a result

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Minimizer:
        """Return the state before the first query."""
        auto, due = Auto.start(kept, settings), settings.proves and settings.alone
        return cls(auto, kept, kept) if due and isinstance(auto, Auto) else auto

    def ask(self) -> tuple[Query, ...]:
        """Ask what the sweep asks; at its end, whether the rest is interesting."""
        if self.running:
            return self.running.ask()
        due = len(self.kept) > 1 and self.queries > 0 and self.rest
        return (Query(self.rest, "elsewhere", _CHANCE),) if due else ()

    def tell(self, answers: tuple[bool, ...]) -> Elsewhere:
        """Tell the sweep, or begin one in the rest."""
        after = self._replace(queries=self.queries + (-1 if self.found else _QUERIES_ELSEWHERE))
        if self.running:
            return after._swept(self.running.tell(answers))
        if not answers[0]:
            return after._replace(rest=EMPTY)
        return after._swept(Auto.over(Predictive.start(self.rest, Settings())))

    def _swept(self, running: Auto) -> Elsewhere:
        """Continue the sweep; if it ends, or cannot find less, exclude what it keeps."""
        kept, sweep, goes_on = min(self.kept, running.kept, key=len), running.sweep, running.ask()
        passed = sweep.passed if goes_on and isinstance(sweep, Predictive) else running.kept
        may_find_less = self.queries > 0 and len(passed) < len(kept)
        if goes_on and (not self.found or kept is running.kept or may_find_less):
            return self._replace(running=running, kept=kept)
        return self._replace(running=None, kept=kept, rest=self.rest.less(passed), found=True)
