"""Any algorithm, with the questions counted that it asks, also those that it has asked before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nubbin_core.minimizers import Belief, Minimizer, Query, Settings, Start, Subset, learned


@dataclass(frozen=True, slots=True)
class CountedMinimizer:
    """Passes on what an algorithm asks and is told, and calls `count` with the answers' number."""

    state: Minimizer
    count: Callable[[int], None]

    @classmethod
    def start(
        cls,
        begin: Start,
        count: Callable[[int], None],
        everything: Subset,
        settings: Settings,
    ) -> CountedMinimizer:
        """Start an algorithm on a list."""
        return cls(begin(everything, settings), count)

    @property
    def kept(self) -> Subset:
        """See `Minimizer`."""
        return self.state.kept

    @property
    def learned(self) -> Belief | None:
        """What the algorithm has learned for lists like its own, if it has learned anything."""
        return learned(self.state)

    def ask(self) -> tuple[Query, ...]:
        """See `Minimizer`."""
        return self.state.ask()

    def tell(self, answers: tuple[bool, ...]) -> CountedMinimizer:
        """See `Minimizer`."""
        self.count(len(answers))
        return replace(self, state=self.state.tell(answers))
