"""Where the offsets of a document are after cuts."""

from __future__ import annotations

import numpy as np

from nubbin.documents.splice import Cuts, Offsets


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


def _running(lengths: Offsets) -> Offsets:
    return np.concatenate(([0], np.cumsum(lengths)))
