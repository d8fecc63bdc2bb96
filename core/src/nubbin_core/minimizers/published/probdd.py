"""ProbDD, probabilistic delta debugging: Wang et al. (FSE 2021), as in Zhang et al. (ICSE 2025)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from random import Random
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: Chooses a number of equally likely elements; each step makes another choice.
Draw = Callable[[Subset, int, int], Subset]
#: Elements by their probability of being essential, ascending, each below 1.
Groups = tuple[tuple[float, Subset], ...]


def at_random(seed: int, members: Subset, count: int, step: int) -> Subset:
    """Return `count` of the members: always the same ones for a seed and a step."""
    if count == len(members):
        return members
    return members.take(Random(seed << 64 | step).sample(range(len(members)), count))


class ProbDD(NamedTuple):
    """Remove the elements with the greatest expected gain; learn from each failure.

    Every element has a probability p of being essential, at first p0. Each query removes the s
    elements of lowest p, for the s that makes s * prod(1 - p) greatest (of two such, the larger);
    among equals it chooses at random. After a failure their p become p / (1 - prod(1 - p)). An
    element that was rejected alone is essential and not tried again; the end is when all are. The
    result is minimal in a monotone problem, and not always 1-minimal otherwise.

    Costs about as many queries as CDD does. There are only as many groups as different
    probabilities, so a step costs the runs of a few Subsets, in C: few runs in the list's
    order, up to half of N if elements are chosen at random.
    """

    kept: Subset
    asked: Subset  # the elements that the query keeps
    chosen: Groups  # the elements that it removes
    rest: Groups  # the others that may still be removed
    draw: Draw
    step: int

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> ProbDD:
        return cls.with_draw(kept, settings.p0, partial(at_random, settings.seed))

    @classmethod
    def start_in_order(cls, kept: Subset, settings: Settings) -> ProbDD:
        """Return it without randomness: equals in the list's order (ProbDD-no-random, IV-E)."""
        return cls.with_draw(kept, settings.p0, lambda members, count, step: members[:count])

    @classmethod
    def with_draw(cls, kept: Subset, p0: float, draw: Draw) -> ProbDD:
        """Return it with a function that chooses among equals."""
        return cls._choosing(kept, ((p0, kept),) if kept else (), draw, 0)

    @classmethod
    def _choosing(cls, kept: Subset, groups: Groups, draw: Draw, step: int) -> ProbDD:
        chosen, rest = split(groups, draw, step)
        removed = reduce(Subset.plus, (members for _, members in chosen), EMPTY)
        return cls(kept, kept.less(removed), chosen, rest, draw, step)

    def ask(self) -> tuple[Query, ...]:
        if not self.chosen:
            return ()
        return (Query(self.asked, "complement", math.exp(self._log_chance())),)

    def tell(self, answers: tuple[bool, ...]) -> ProbDD:
        """Remove the chosen elements or raise their probabilities, and choose again."""
        (accepted,) = answers
        groups = self.rest
        if not accepted and len(self.kept) - len(self.asked) > 1:
            scale = -1 / math.expm1(self._log_chance())
            groups = merged(groups, tuple((p * scale, members) for p, members in self.chosen))
        kept = self.asked if accepted else self.kept
        return self._choosing(kept, groups, self.draw, self.step + 1)

    def _log_chance(self) -> float:
        """Return the logarithm of the probability that none of the chosen is essential."""
        return sum(len(members) * math.log1p(-p) for p, members in self.chosen)


def split(groups: Groups, draw: Draw, step: int) -> tuple[Groups, Groups]:
    """Split off the elements with the greatest expected gain.

    With elements in order of probability, taking the s-th as well does not lower the gain
    s * prod(1 - p) exactly when s * p <= 1 for its own p, and s * p grows with s. So whole
    groups are taken while they fit, then the part of the next group that fits. At least one
    element is taken.
    """
    chosen: list[tuple[float, Subset]] = []
    taken = 0
    for at, (p, members) in enumerate(groups):
        count = min(max(int(1 / p), 1) - taken, len(members))
        if count <= 0:
            return tuple(chosen), groups[at:]
        part = draw(members, count, step)
        chosen.append((p, part))
        taken += count
        if count < len(members):
            return tuple(chosen), ((p, members.less(part)), *groups[at + 1 :])
    return tuple(chosen), ()


def merged(groups: Groups, others: Groups) -> Groups:
    """Return both in one, ascending; groups with the same probability become one."""
    table = dict(groups)
    for p, members in others:
        table[p] = table[p].plus(members) if p in table else members
    return tuple(sorted(table.items(), key=lambda group: group[0]))
