"""The predictive sweep for many workers: a wave of queries, one for each region of the list."""

from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.predictive import End, Predictive
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The approximate number of elements in a region, and the largest number of regions.
_REGION_ELEMENTS, _MAX_REGIONS = 20, 512

#: The assumed chance that removals that succeed alone succeed together.
_MERGE_CHANCE = 0.98
#: The assumed chance that a proof removes its element.
_PROOF_CHANCE = 0.02


class Waves(NamedTuple):
    """Sweep disjoint regions at once, with one belief for all.

    With one query of even chance at a time, W workers gain only log2(W + 1). So each region has a
    query of its own, all relative to the same subset. The successes are removed together, which one
    more query confirms. The proofs form waves, too. The regions depend on the list alone, so the
    result is the same for any number of workers. They are too short to skip clusters, which would
    leave more to the proofs.

    If the test rejects the successes together, or a proof removes its element, there are
    dependencies, and `Predictive` sweeps the elements that are left. The result is 1-minimal, and
    every single removal from it was a query. Costs up to a fifth more queries than `Predictive`.
    """

    regions: tuple[Predictive, ...]  # those not finished, the last of the list first
    swept: Subset  # the elements that the finished regions keep
    belief: Belief
    succeeded: tuple[bool, ...] = ()  # the answers of a wave whose successes are being confirmed
    proved: int = 0  # in the last phase: the number of elements proved, from the end

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Waves | Predictive:
        """Return the state before the first query; a short list is a single region."""
        count = min(len(kept) // _REGION_ELEMENTS, _MAX_REGIONS)
        if count < 2:
            return Predictive.start(kept, settings)
        belief = Belief.prior(len(kept))
        cuts = [len(kept) * i // count for i in range(count + 1)]
        regions = tuple(
            Predictive(kept[lo:hi], End(belief), hi - lo, hidden=math.inf)
            for lo, hi in reversed([*pairwise(cuts)])
        )
        return cls(regions, EMPTY, belief)

    @property
    def kept(self) -> Subset:
        return reduce(Subset.plus, (region.kept for region in self.regions), self.swept)

    def ask(self) -> tuple[Query, ...]:
        base = self.kept
        if self.succeeded:
            return (Query(base.less(self._removed_by(self.succeeded)), "merge", _MERGE_CHANCE),)
        if not self.regions:
            left = len(base) - self.proved
            positions = range(left - 1, max(left - _MAX_REGIONS, 0) - 1, -1)
            return tuple(
                Query(base.without(at, at + 1), "proof", _PROOF_CHANCE) for at in positions
            )
        wave = []
        for region in self.regions:
            (query,) = region.ask()
            candidate = base.less(region.kept.less(query.kept))
            wave.append(Query(candidate, query.kind, query.chance))
        return tuple(wave)

    def _removed_by(self, answers: tuple[bool, ...]) -> Subset:
        waves = zip(self.regions, answers, strict=True)
        parts = (each.kept.less(each.ask()[0].kept) for each, success in waves if success)
        return reduce(Subset.plus, parts, EMPTY)

    def tell(self, answers: tuple[bool, ...]) -> Waves | Predictive:
        """Remove the successes that the test accepts together; otherwise continue with one list."""
        if self.succeeded:
            succeeded = self.succeeded
            return self._advanced(succeeded) if answers[0] else self._alone(succeeded)
        if not self.regions:
            if any(answers):
                return self._alone(answers)
            return self._replace(proved=self.proved + len(answers))
        if sum(answers) > 1:
            return self._replace(succeeded=answers)
        return self._advanced(answers)

    def _advanced(self, answers: tuple[bool, ...]) -> Waves:
        """Tell every region its answer, and the common belief the runs of each."""
        belief, swept, unfinished = self.belief, self.swept, []
        for region, answer in zip(self.regions, answers, strict=True):
            after = region.tell((answer,))
            if after.proving or not after.kept:
                swept = swept.plus(after.kept)
                continue
            unfinished.append(after)
            for _ in range(after.end.belief.runs - region.end.belief.runs):
                belief = belief.observe(after.end.belief.last)
        regions = tuple(
            region._replace(end=region.end._replace(belief=belief)) for region in unfinished
        )
        return Waves(regions, swept, belief)

    def _alone(self, answers: tuple[bool, ...]) -> Predictive:
        """Keep the first success, which is certain, and continue with one list."""
        wave = self._replace(succeeded=()).ask()
        kept = wave[answers.index(True)].kept
        return Predictive.start(kept, Settings()) if self.regions else Predictive.proof(kept)
