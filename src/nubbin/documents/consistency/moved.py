"""Where the offsets of a document are after cuts, and tables of them that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from nubbin.documents.splice import Cuts, Mask, Offsets


class Moved:
    """The offsets of a document before and after cuts, whose texts stand in their places.

    All methods take and return offsets of one shape, and take time linear in them, times the
    logarithm of the number of cuts.
    """

    def __init__(self, cuts: Cuts):
        self._starts, self._stops = cuts.starts, cuts.stops
        lengths = np.zeros(cuts.starts.size, dtype=np.int64)
        lengths[list(cuts.texts)] = [len(text) for text in cuts.texts.values()]
        self._gone = _running(cuts.stops - cuts.starts)
        self._came = _running(lengths)

    def gone(self, offsets: Offsets) -> Offsets:
        """Return how many bytes are cut before each offset."""
        cut = np.searchsorted(self._starts, offsets, side="right") - 1
        if not self._starts.size:
            return np.zeros_like(offsets)
        inside = np.minimum(offsets, self._stops[cut]) - self._starts[cut]
        gone: Offsets = np.where(cut >= 0, self._gone[cut] + inside, 0)
        return gone

    def starts(self, offsets: Offsets) -> Offsets:
        """Return where what begins at each offset begins; inside a cut, where its text does."""
        cut = np.searchsorted(self._starts, offsets, side="right")
        if not self._starts.size:
            return offsets
        inside = (cut > 0) & (offsets < self._stops[cut - 1])
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut - inside]
        return moved

    def stops(self, offsets: Offsets) -> Offsets:
        """Return where what ends at each offset ends; inside a cut, where its text does."""
        cut = np.searchsorted(self._starts, offsets, side="left")
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut]
        return moved


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as columns: each field is an array with a value for each row, or a table of as many."""

    def at(self, chosen: Offsets | Mask) -> Self:
        """Return some of the rows."""
        columns = vars(self).values()
        return type(self)(
            *(each.at(chosen) if isinstance(each, Table) else each[chosen] for each in columns)
        )

    def joined(self, other: Self) -> Self:
        """Return the rows of both."""
        return type(self)(
            *(
                one.joined(more) if isinstance(one, Table) else np.concatenate((one, more))
                for one, more in zip(vars(self).values(), vars(other).values(), strict=True)
            )
        )

    def moved(self, moved: Moved) -> Self:
        """Return the rows with all their spans where they are after cuts."""
        tables = {name: each for name, each in vars(self).items() if isinstance(each, Table)}
        return replace(self, **{name: each.moved(moved) for name, each in tables.items()})


@dataclass(frozen=True, eq=False)
class SpanTable(Table):
    """Spans of a document, with what subclasses add to each: arrays of shape (N,)."""

    starts: Offsets
    stops: Offsets

    def moved(self, moved: Moved) -> Self:
        """Return the rows with all their spans where they are after cuts."""
        return replace(
            super().moved(moved), starts=moved.starts(self.starts), stops=moved.stops(self.stops)
        )


def _running(lengths: Offsets) -> Offsets:
    return np.concatenate(([0], np.cumsum(lengths)))
