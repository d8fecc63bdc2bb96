"""CDD, counter-based delta debugging: Zhang et al. (ICSE 2025), Algorithm 2."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Query, Settings
from nubbin_core.minimizers.subset import Subset

#: The factor by which an element's probability of being essential grows from round to round.
GROWTH = 1.582


class CDD(NamedTuple):
    """ProbDD without probabilities: the number of the round alone gives the size of its subsets.

    Round r assumes that each element is essential with probability p = p0 * 1.582^r. It partitions
    the list into subsets of the size with the greatest expected gain; the last one may be smaller.
    Each is tried once, and the round of size 1 is the last. The result is minimal in a
    monotone problem, and not always 1-minimal otherwise.

    Costs sum(N / size) queries, fewer than 3 N plus one for each round. Each round with a
    single subset tries the empty subset.
    """

    kept: Subset
    p0: float
    round: int = 0
    at: int = 0  # the position of the subset to try next

    @classmethod
    def start(cls, kept: Subset, settings: Settings) -> CDD:
        return cls(kept, settings.p0)

    @property
    def chance(self) -> float:
        """The probability that one element of this round is essential; 1 at most."""
        return min(self.p0 * GROWTH**self.round, 1.0)

    @property
    def size(self) -> int:
        return best_size(self.chance)

    def ask(self) -> tuple[Query, ...]:
        if self.at >= len(self.kept):
            return ()
        after = self.kept.without(self.at, self.at + self.size)
        removed = len(self.kept) - len(after)
        return (Query(after, "complement", (1 - self.chance) ** removed),)

    def tell(self, answers: tuple[bool, ...]) -> CDD:
        """Remove the subset or skip it; begin the next round at the end."""
        (accepted,) = answers
        if accepted:
            after = self._replace(kept=self.ask()[0].kept)
        else:
            after = self._replace(at=self.at + self.size)
        if after.at >= len(after.kept) > 0 and after.size > 1:
            return after._replace(round=after.round + 1, at=0)
        return after


def best_size(chance: float) -> int:
    """Return the s for which the expected gain s * (1 - chance)^s is greatest; the larger of two.

    It is the floor or the ceiling of -1 / ln(1 - chance) (Zhang et al., Lemma III.3). More
    directly, the gain of s + 1 is no less than the gain of s exactly when s + 1 <= 1 / chance.
    """
    return max(int(1 / chance), 1)
