"""Look for a smaller minimal set: a list may have several, and `auto` may find a large one."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.bayesian.auto import Auto
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The assumed chance that there is another minimal set.
_CHANCE = 0.1

#: The number of queries for other sets, without proofs, for each query of the first result.
_QUERIES_FOR_OTHERS = 1.5

#: The number of combs that are tried: candidates without every r-th element.
_COMBS = 2


class OtherSets(NamedTuple):
    """`auto`, and then a search for a smaller set.

    A sweep keeps the set whose farthest element is nearest, whatever its size. So one query tries
    the list without the longest run of the result. If the test accepts, there is another set. To
    find a small one, two queries try combs, which lack every r-th element of the rest, for a
    result of r elements. A comb cuts all sets of r or more neighbours, and one of two combs keeps
    any set of at most r / 2 neighbours. Then a sweep begins in an accepted comb, or else in the
    rest. When it has passed r elements, every set among the elements it keeps has at least r, so it
    ends. The longest run of these elements is excluded from the next rest, too. Of k disjoint
    minimal sets, each rest excludes at least one.

    Costs one query if all minimal sets have an element in that run, and none if the result has a
    single element. Otherwise, at most one and a half times the queries of the first result, and the
    proof of each smaller set. A sweep that has found no smaller set ends when these are spent, or
    when fallbacks would replace it. Nothing is asked in a list that is one of many, or needs no
    proof.
    """

    running: Auto | None
    kept: Subset  # the smallest subset that the test has accepted
    rest: Subset  # the list without a run of each set that was found
    queries: float = 0.0  # that may be asked for other sets
    found: bool = False  # whether there is a result
    comb: int = 0  # the number of the next comb; 0 if the rest is tried next

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Minimizer:
        auto, due = Auto.start(kept, settings), settings.proves and settings.alone
        return cls(auto, kept, kept) if due and isinstance(auto, Auto) else auto

    def ask(self) -> tuple[Query, ...]:
        if self.running:
            return self.running.ask()
        due = len(self.kept) > 1 and self.queries > 0 and self.rest
        return (Query(self._next, "other set", _CHANCE),) if due else ()

    @property
    def _next(self) -> Subset:
        if not self.comb:
            return self.rest
        size = len(self.kept)
        lacking = range((self.comb - 1) * size // _COMBS, len(self.rest), size)
        return self.rest.less(self.rest.take(lacking))

    def tell(self, answers: tuple[bool, ...]) -> OtherSets:
        after = self._replace(queries=self.queries + (-1 if self.found else _QUERIES_FOR_OTHERS))
        if self.running:
            return after._swept(self.running.tell(answers))
        (accepted,) = answers
        if not accepted and not self.comb:
            return after._replace(rest=EMPTY)
        in_comb = accepted and self.comb
        if not in_comb and self.comb < _COMBS and len(self.rest) > len(self.kept):
            return after._replace(comb=self.comb + 1)
        sweep = Predictive.start(self._next if in_comb else self.rest, Settings())
        return after._replace(comb=0)._swept(Auto.over(sweep))

    def _swept(self, running: Auto) -> OtherSets:
        """Continue the sweep; if it ends, or cannot find less, exclude a run of what it keeps."""
        kept, sweep, asks = min(self.kept, running.kept, key=len), running.sweep, running.ask()
        passed = sweep.passed if asks and isinstance(sweep, Predictive) else running.kept
        may_find_less = self.queries > 0 and len(passed) < len(kept)
        if asks and (not self.found or kept is running.kept or may_find_less):
            return self._replace(running=running, kept=kept)
        longest = max(passed.runs, key=lambda run: run[1] - run[0], default=(0, 0))
        rest = self.rest.less(Subset.of(range(*longest)))
        return self._replace(running=None, kept=kept, rest=rest, found=True)
