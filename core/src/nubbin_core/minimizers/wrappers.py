"""Minimizers around another one: from the other end, or with a query for the last element."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from nubbin_core.minimizers.minimizer import Minimizer, Query, Settings, Start
from nubbin_core.minimizers.subset import EMPTY, Subset


class LastElement(NamedTuple):
    """A minimizer, and then the empty subset if a single element is left.

    Several papers take the empty subset to be rejected and never try it, so nothing proves that a
    single element is needed. Costs one query, of the kind `certificate`, or none if the algorithm
    has tried the empty subset itself.
    """

    minimizer: Minimizer
    asked: bool = False  # whether the empty subset was tried
    empty: bool = False  # whether the test accepted it

    @classmethod
    def of(cls, start: Start) -> Start:
        """Return the function that starts an algorithm with this query at its end."""
        return lambda kept, settings: cls(start(kept, settings))

    @property
    def kept(self) -> Subset:
        return EMPTY if self.empty else self.minimizer.kept

    def ask(self) -> tuple[Query, ...]:
        wave = self.minimizer.ask()
        if wave or self.asked or len(self.minimizer.kept) != 1:
            return wave
        return (Query(EMPTY, "certificate"),)

    def tell(self, answers: tuple[bool, ...]) -> LastElement:
        wave = self.minimizer.ask()
        if not wave:
            (empty,) = answers
            return self._replace(asked=True, empty=empty)
        asked = self.asked or any(not query.kept for query in wave)
        return self._replace(minimizer=self.minimizer.tell(answers), asked=asked)


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
