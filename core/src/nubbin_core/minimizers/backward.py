"""Any algorithm from the other end of the list."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import Subset


class Backward(NamedTuple):
    """Runs an algorithm on the list in reverse order: it asks just as many questions of it.

    Most published algorithms begin at the front. Where definitions come before their uses, they do
    better from the end.
    """

    algorithm: Minimizer
    n: int
    """An index beyond the last of the list."""

    @classmethod
    def of(
        cls, start: Callable[[Subset, Settings], Minimizer]
    ) -> Callable[[Subset, Settings], Backward]:
        """Return what starts an algorithm from the other end.

        All elements weigh the same, and nothing is known of their uses.
        """

        def begin(kept: Subset, settings: Settings) -> Backward:
            n = kept.bounds[-1] if kept else 0
            return cls(start(mirrored(kept, n), settings._replace(weights=(), uses=None)), n)

        return begin

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return mirrored(self.algorithm.kept, self.n)

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks."""
        wave = self.algorithm.ask()
        return tuple(query._replace(kept=mirrored(query.kept, self.n)) for query in wave)

    def tell(self, answers: tuple[bool, ...]) -> Backward:
        """Tell the algorithm."""
        return self._replace(algorithm=self.algorithm.tell(answers))


def mirrored(kept: Subset, n: int) -> Subset:
    """Return the subset whose members count from the other end of 0..n-1."""
    return Subset(array("q", [n - bound for bound in reversed(kept.bounds)]), len(kept))
