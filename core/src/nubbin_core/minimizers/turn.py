"""Run any algorithm for a number of queries; it can continue later where it paused."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query
from nubbin_core.minimizers.subset import Subset


class Turn(NamedTuple):
    """An algorithm until `length` of its queries are answered; it ends with a whole wave."""

    algorithm: Minimizer
    length: int
    asked: int = 0

    @property
    def kept(self) -> Subset:
        return self.algorithm.kept

    @property
    def paused(self) -> Minimizer | None:
        """The algorithm, if it has not ended when the turn is over."""
        return self.algorithm if self.algorithm.ask() else None

    def ask(self) -> tuple[Query, ...]:
        return self.algorithm.ask() if self.asked < self.length else ()

    def tell(self, answers: tuple[bool, ...]) -> Turn:
        return Turn(self.algorithm.tell(answers), self.length, self.asked + len(answers))
