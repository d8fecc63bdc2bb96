"""The question that some algorithms leave out: can the last element go as well?"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings
from nubbin_core.minimizers.subset import EMPTY, Subset


class LastElement(NamedTuple):
    """Runs an algorithm to its end; when one element is left, asks for the empty subset.

    Several papers count the empty subset as uninteresting and never ask about it. Without that
    answer nothing proves that a single element is needed. Costs one query, of the kind
    `certificate`, or none if the algorithm has asked about the empty subset itself.
    """

    algorithm: Minimizer
    asked: bool = False
    """Whether the empty subset was asked about."""
    empty: bool = False
    """Whether it was interesting."""

    @classmethod
    def of(
        cls, start: Callable[[Subset, Settings], Minimizer]
    ) -> Callable[[Subset, Settings], Minimizer]:
        """Return what starts an algorithm inside it."""
        return lambda kept, settings: cls(start(kept, settings))

    @property
    def kept(self) -> Subset:
        """The smallest subset known to be interesting."""
        return EMPTY if self.empty else self.algorithm.kept

    def ask(self) -> tuple[Query, ...]:
        """Ask what the algorithm asks, then for the empty subset."""
        wave = self.algorithm.ask()
        if wave or self.asked or len(self.algorithm.kept) != 1:
            return wave
        return (Query(EMPTY, "certificate"),)

    def tell(self, answers: tuple[bool, ...]) -> LastElement:
        """Tell the algorithm, or keep the last answer."""
        wave = self.algorithm.ask()
        if not wave:
            (empty,) = answers
            return self._replace(asked=True, empty=empty)
        asked = self.asked or any(not query.kept for query in wave)
        return self._replace(algorithm=self.algorithm.tell(answers), asked=asked)
