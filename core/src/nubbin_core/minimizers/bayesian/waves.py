"""Predictive deletion for many workers: a wave of questions, one for each region of the list."""

from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from nubbin_core.minimizers.bayesian.belief import Belief
from nubbin_core.minimizers.bayesian.end import End
from nubbin_core.minimizers.bayesian.predictive import Predictive
from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: The number of elements in a region, about, and the largest number of regions.
_REGION_ELEMENTS, _MAX_REGIONS = 20, 512

#: The chance, as assumed, that deletions that succeed alone succeed together.
_MERGE_CHANCE = 0.98
#: The chance, as assumed, that an element can go in a proof.
_PROOF_CHANCE = 0.02


class Waves(NamedTuple):
    """Sweep disjoint regions at once, with one belief for all.

    One coin toss at a time leaves little to speculation: W workers gain log2(W + 1). So every
    region asks its own coin toss, all against the same base. The successes are deleted together,
    which one more query confirms; the proofs are asked for in waves as well. The regions depend
    on the list alone, so the result is the same for any number of workers. They are too short
    for leaps over clusters, which leave work to the proofs.

    If successes do not go together, or a proof succeeds, there are dependencies: the rest
    is one sweep of Predictive over all that is left. The result is 1-minimal and every single
    removal from it was really asked. Costs up to a fifth more queries than Predictive.
    """

    regions: tuple[Predictive, ...]  # those that are not finished, the last of the list first
    swept: Subset  # what the finished regions keep
    belief: Belief
    agreed: tuple[bool, ...] = ()  # the answers of a wave whose successes are being confirmed
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
            Predictive(kept[lo:hi], End(belief), at=hi - lo, hidden=math.inf)
            for lo, hi in reversed([*pairwise(cuts)])
        )
        return cls(regions, EMPTY, belief)

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return reduce(Subset.plus, (region.kept for region in self.regions), self.swept)

    def ask(self) -> tuple[Query, ...]:
        """Ask one question for each region, or whether successes go together, or for proofs."""
        base = self.kept
        if self.agreed:
            merged = base.less(self._gone(self.agreed))
            return (Query(merged, "merge", _MERGE_CHANCE),)
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

    def _gone(self, answers: tuple[bool, ...]) -> Subset:
        """Return what the successes of a wave delete."""
        gone = EMPTY
        for region, success in zip(self.regions, answers, strict=True):
            if success:
                gone = gone.plus(region.kept.less(region.ask()[0].kept))
        return gone

    def tell(self, answers: tuple[bool, ...]) -> Waves | Predictive:
        """Delete the successes when they are known to go together; else go on with one list."""
        if self.agreed:
            return self._advanced(self.agreed) if answers[0] else self._alone(self.agreed)
        if not self.regions:
            if any(answers):
                return self._alone(answers)
            return self._replace(proved=self.proved + len(answers))
        if sum(answers) > 1:
            return self._replace(agreed=answers)
        return self._advanced(answers)

    def _advanced(self, answers: tuple[bool, ...]) -> Waves:
        """Let every region go on from its answer, and all learn from the runs of each."""
        belief, swept, going = self.belief, self.swept, []
        for region, answer in zip(self.regions, answers, strict=True):
            after = region.tell((answer,))
            if after.proving or not after.kept:
                swept = swept.plus(after.kept)
                continue
            going.append(after)
            for _ in range(after.end.belief.runs - region.end.belief.runs):
                belief = belief.observe(after.end.belief.last)
        regions = tuple(region._replace(end=region.end.believing(belief)) for region in going)
        return Waves(regions, swept, belief)

    def _alone(self, answers: tuple[bool, ...]) -> Predictive:
        """Take the first success, which is certain, and go on with all that is left as one list."""
        wave = self._replace(agreed=()).ask()
        kept = wave[answers.index(True)].kept
        return Predictive.start(kept, Settings()) if self.regions else Predictive.proof(kept)
