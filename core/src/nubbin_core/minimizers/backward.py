"""Run any algorithm from the other end of the list."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings, Start
from nubbin_core.minimizers.subset import Subset


class Backward(NamedTuple):
    """A minimizer on the reversed list.

    Most published algorithms begin at the front. If definitions precede their uses, they need
    fewer queries from the end.
    """

    minimizer: Minimizer
    n: int  # an index beyond the last of the list

    @classmethod
    def of(cls, start: Start) -> Start:
        """Return the function that starts an algorithm backward, without weights and uses."""

        def begin(kept: Subset, settings: Settings) -> Backward:
            n = kept.bounds[-1] if kept else 0
            return cls(start(mirrored(kept, n), settings._replace(weights=(), uses=None)), n)

        return begin

    @property
    def kept(self) -> Subset:
        return mirrored(self.minimizer.kept, self.n)

    def ask(self) -> tuple[Query, ...]:
        wave = self.minimizer.ask()
        return tuple(query._replace(kept=mirrored(query.kept, self.n)) for query in wave)

    def tell(self, answers: tuple[bool, ...]) -> Backward:
        return self._replace(minimizer=self.minimizer.tell(answers))


def mirrored(kept: Subset, n: int) -> Subset:
    """Return the subset with each index i replaced by n - 1 - i."""
    return Subset(array("q", [n - bound for bound in reversed(kept.bounds)]), len(kept))
