"""Predictive deletion for many workers: a wave of questions, one for each region of the list."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

from nubbin.minimizers.belief import Belief
from nubbin.minimizers.minimizer import Query, Settings
from nubbin.minimizers.predictive import Predictive
from nubbin.minimizers.subset import EMPTY, Subset

#: A region has about so many elements, and there are at most so many regions.
_ELEMENTS, _REGIONS = 20, 512

#: How likely it is taken to be that deletions that succeed alone succeed together.
_INDEPENDENT = 0.98


@dataclass(frozen=True, slots=True)
class Waves:
    """Sweep disjoint regions at once, with one belief for all.

    A coin toss at a time leaves speculation little to guess: W workers gain log2(W + 1). So
    every region asks its own coin toss, all against the same base. What succeeds is deleted
    together, which one more query confirms; the proofs are asked for in waves as well. The
    regions depend on the list alone, so the result is the same for any number of workers. They
    are too short for leaps over clusters, which leave work to the proofs.

    Where successes do not go together, or a proof succeeds, there are dependencies: the rest
    is one sweep of Predictive over what is left. The result is 1-minimal and every single
    removal from it was really asked. Costs up to a fifth more queries than Predictive.
    """

    regions: tuple[Predictive, ...]  # those that are still swept, last region first
    swept: Subset  # what other regions have kept
    belief: Belief
    agreed: tuple[bool, ...] = ()  # the answers of a wave whose successes are being confirmed
    proved: int = 0  # in the last phase: how many were proved, from the end

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> Waves | Predictive:
        """Return the state before the first query; a short list is a single region."""
        count = min(len(kept) // _ELEMENTS, _REGIONS)
        if count < 2:
            return Predictive.start(kept, settings)
        belief = Belief.prior(len(kept))
        cuts = [len(kept) * i // count for i in range(count + 1)]
        regions = tuple(
            Predictive(kept[lo:hi], belief, at=hi - lo, hidden=math.inf)
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
            return (Query(merged, "merge", _INDEPENDENT),)
        if not self.regions:
            left = len(base) - self.proved
            places = range(left - 1, max(left - _REGIONS, 0) - 1, -1)
            return tuple(Query(base.without(at, at + 1), "proof", 0.02) for at in places)
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
        """Delete what succeeded, once it is known to go together; see to the rest as one list."""
        if self.agreed:
            return self._advanced(self.agreed) if answers[0] else self._alone(self.agreed)
        if not self.regions:
            if any(answers):
                return self._alone(answers)
            return replace(self, proved=self.proved + len(answers))
        if sum(answers) > 1:
            return replace(self, agreed=answers)
        return self._advanced(answers)

    def _advanced(self, answers: tuple[bool, ...]) -> Waves:
        """Let every region go on from its answer, and all learn from the runs any has seen."""
        belief, swept, going = self.belief, self.swept, []
        for region, answer in zip(self.regions, answers, strict=True):
            after = region.tell((answer,))
            if after.proving or not after.kept:
                swept = swept.plus(after.kept)
                continue
            going.append(after)
            for _ in range(after.belief.runs - region.belief.runs):
                belief = belief.observe(after.belief.last)
        regions = tuple(replace(region, belief=belief) for region in going)
        return Waves(regions, swept, belief)

    def _alone(self, answers: tuple[bool, ...]) -> Predictive:
        """Take the first success, which is real, and go on with all that is left as one list."""
        wave = replace(self, agreed=()).ask()
        kept = wave[answers.index(True)].kept
        if self.regions:
            return Predictive.start(kept, Settings())
        return Predictive(kept, Belief.of_essentials(len(kept)), at=len(kept), proving=True)
