"""Run any algorithm for a turn of some queries; it can continue later where it paused."""

from __future__ import annotations

from dataclasses import dataclass, replace

from nubbin_core.minimizers.minimizer import Minimizer, Query
from nubbin_core.minimizers.subset import Subset


@dataclass(frozen=True, slots=True)
class Turn:
    """Asks the queries of an algorithm until `length` of them are answered.

    The turn ends with the wave in which that happens. Costs the algorithm's queries and no others.
    """

    algorithm: Minimizer
    length: int
    asked: int = 0

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return self.algorithm.kept

    @property
    def paused(self) -> Minimizer | None:
        """The algorithm, if it has more to ask when the turn is over."""
        return self.algorithm if self.algorithm.ask() else None

    def ask(self) -> tuple[Query, ...]:
        """Ask the queries of the algorithm; none when the turn is over."""
        return self.algorithm.ask() if self.asked < self.length else ()

    def tell(self, answers: tuple[bool, ...]) -> Turn:
        """Tell the algorithm."""
        return replace(
            self, algorithm=self.algorithm.tell(answers), asked=self.asked + len(answers)
        )
