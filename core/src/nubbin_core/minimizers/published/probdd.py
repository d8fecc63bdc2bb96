"""ProbDD, probabilistic delta debugging: Wang et al. (FSE 2021), as in Zhang et al. (ICSE 2025)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from random import Random
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset

#: Takes a number of equally likely elements; the number of the step makes each choice another.
Draw = Callable[[Subset, int, int], Subset]
#: Elements by their probability of being essential, ascending, each below 1.
Groups = tuple[tuple[float, Subset], ...]


def at_random(seed: int, members: Subset, count: int, step: int) -> Subset:
    """Return `count` of the members: always the same ones for a seed and a step."""
    if count == len(members):
        return members
    return members.take(Random(seed << 64 | step).sample(range(len(members)), count))


def in_order(members: Subset, count: int, step: int) -> Subset:
    """Return the first `count` of the members."""
    return members[:count]


class ProbDD(NamedTuple):
    """Take away the elements whose loss is expected to gain most; learn from each failure.

    Every element has a probability of being essential, at first p0. Each query takes the s
    likeliest to be needless, for the s that makes s * prod(1 - p) greatest (of two such, the
    larger), at random if probabilities are equal. After a failure their probabilities are scaled
    to account for it: p / (1 - prod(1 - p)). An element refused alone is essential and is not
    tried again; it ends when all are. The result is minimal in a monotone problem, and not always
    1-minimal otherwise.

    Costs about as many queries as CDD does. Only as many groups are held as there are different
    probabilities, so a step costs the runs of a few Subsets, in C: few runs in the list's
    order, up to half of N when elements go at random.
    """

    kept: Subset
    asked: Subset
    """The elements that the query keeps."""
    chosen: Groups
    """The elements that it takes away."""
    rest: Groups
    """The others that may still go."""
    draw: Draw
    step: int

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> ProbDD:
        """Return the state before the first query."""
        return cls.with_draw(kept, settings.p0, partial(at_random, settings.seed))

    @classmethod
    def start_in_order(cls, kept: Subset, settings: Settings) -> ProbDD:
        """Return it without randomness: equals in the list's order (ProbDD-no-random, IV-E)."""
        return cls.with_draw(kept, settings.p0, in_order)

    @classmethod
    def with_draw(cls, kept: Subset, p0: float, draw: Draw) -> ProbDD:
        """Return it with a function that chooses among equals."""
        return cls._choosing(kept, ((p0, kept),) if kept else (), draw, 0)

    @classmethod
    def _choosing(cls, kept: Subset, groups: Groups, draw: Draw, step: int) -> ProbDD:
        chosen, rest = split(groups, draw, step)
        gone = reduce(Subset.plus, (members for _, members in chosen), EMPTY)
        return cls(kept, kept.less(gone), chosen, rest, draw, step)

    def ask(self) -> tuple[Query, ...]:
        """Ask for the list without the chosen elements."""
        if not self.chosen:
            return ()
        return (Query(self.asked, "complement", math.exp(self._log_chance())),)

    def tell(self, answers: tuple[bool, ...]) -> ProbDD:
        """Drop the chosen elements or raise their probabilities, and choose again."""
        (interesting,) = answers
        groups = self.rest
        if not interesting and len(self.kept) - len(self.asked) > 1:
            scale = -1 / math.expm1(self._log_chance())
            groups = merged(groups, tuple((p * scale, members) for p, members in self.chosen))
        kept = self.asked if interesting else self.kept
        return self._choosing(kept, groups, self.draw, self.step + 1)

    def _log_chance(self) -> float:
        """Return the logarithm of the probability that none of the chosen is essential."""
        return sum(len(members) * math.log1p(-p) for p, members in self.chosen)


def split(groups: Groups, draw: Draw, step: int) -> tuple[Groups, Groups]:
    """Split off the elements that promise the greatest expected gain.

    With elements in order of probability, taking the s-th as well does not lower the gain
    s * prod(1 - p) exactly when s * p <= 1 for its own p, and s * p grows with s: so whole
    groups are taken while they fit, and of the last group as many elements as do. At least one is.
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
