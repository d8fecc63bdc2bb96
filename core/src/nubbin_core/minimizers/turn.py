"""Run any minimizer for a number of queries; it can continue later where it paused."""

from __future__ import annotations

from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query
from nubbin_core.minimizers.subset import Subset


class Turn(NamedTuple):
    """A minimizer until `length` of its queries are answered; it ends with a whole wave."""

    minimizer: Minimizer
    length: int
    asked: int = 0

    @property
    def kept(self) -> Subset:
        return self.minimizer.kept

    @property
    def paused(self) -> Minimizer | None:
        """The minimizer, if it has not ended when the turn is over."""
        return self.minimizer if self.minimizer.ask() else None

    def ask(self) -> tuple[Query, ...]:
        return self.minimizer.ask() if self.asked < self.length else ()

    def tell(self, answers: tuple[bool, ...]) -> Turn:
        return Turn(self.minimizer.tell(answers), self.length, self.asked + len(answers))
