"""Edits: the things that can be done to a document, as a list a minimizer can choose from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.splice import Cuts, Layout, Offsets, spliced
from nubbin_core.minimizers import Subset

if TYPE_CHECKING:
    from nubbin.documents.consistency.consistency import Consistency

Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


#: Replacements in one document that belong together: all of them are applied or none is. To put
#: a part in the place of the whole, delete what is around the part: then edits inside it still
#: apply.
Edit = tuple[Replacement, ...]


def members(kept: Subset) -> Offsets:
    """Return the members in order; no loop over them."""
    bounds = np.asarray(kept.bounds)
    lengths = bounds[1::2] - bounds[::2]
    before = lengths.cumsum() - lengths
    indices: Offsets = (bounds[::2] - before).repeat(lengths)
    indices += np.arange(len(kept))
    return indices


def all_but(kept: Subset, size: int) -> Mask:
    """Return the flags of all elements of a list but those that are kept: shape (size,)."""
    applied = np.ones(size, dtype=np.bool_)
    applied[members(kept)] = False
    return applied


class Edits:
    """A list of N edits of the same file, any subset of which can be applied at once.

    A minimizer's subset has the edits that are *not* applied, so the full subset is the document
    itself and the empty one has everything done. Overlaps are settled span by span: all bytes of
    all applied spans are deleted; a text appears where its span started, unless that byte
    belongs to a span that comes first. First comes the span that starts first, then the longer
    one, then that of the earlier edit. So the outermost wins, and what it contains vanishes; of
    two that overlap in part, the second loses its text.

    The layout is tidied (see `Layout`): words do not run together, and a construct that has lines
    to itself is deleted with them. Numbers that follow from the rest are made right (`File.cut`).
    """

    def __init__(self, file: File, edits: Sequence[Edit], *, tidy: bool = True):
        """Make the list; raises ValueError if a span lies outside the document."""
        # Empty spans are dropped: they would still win precedence over their neighbours.
        spans = [
            (owner, *span)
            for owner, edit in enumerate(edits)
            for span in edit
            if span.start != span.stop or span.text
        ]
        # One by one, so that Ctrl-C is heard: it is not in `np.array`, which takes no less time.
        numbers = (number for span in spans for number in span[:3])
        columns = np.fromiter(numbers, np.int64, 3 * len(spans)).reshape(-1, 3).T
        owners, starts, stops = columns
        if np.any((starts < 0) | (starts > stops) | (stops > len(file.data))):
            raise ValueError("an edit reaches outside its document")
        order = np.lexsort((owners, -stops, starts))
        texts = [spans[i][3] for i in order.tolist()]
        self.file = file
        self._size = len(edits)
        self._tidy = tidy and file.has_layout
        #: Which edit owns each span, where it starts and where it stops: each of shape (S,).
        self.owners, self.starts, self.stops = columns[:, order]
        self._texts = texts if any(texts) else []
        self._last: tuple[bytes, tuple[Cuts, Consistency | None]] | None = None

    def __len__(self) -> int:
        return self._size

    # -- what becomes of the document --------------------------------------------------

    def render(self, kept: Subset) -> File:
        """Return the file with all edits applied but those of `kept`.

        Time is linear in the bytes and the spans; for deletions there is no loop over either.
        """
        return self.apply(self.all_but(kept))

    def apply(self, applied: Mask) -> File:
        """Return the file in which the flagged edits are applied: flags of shape (N,)."""
        cuts, consistency = self._repaired(applied)
        return self.file.with_data(spliced(self.file.data, cuts), consistency)

    def spans(self, applied: Mask) -> list[Replacement]:
        """Return what `apply` changes: in order and disjoint, as `Parse.edited` takes it."""
        cuts, _ = self._repaired(applied)
        texts = [b""] * cuts.starts.size
        for cut, text in cuts.texts.items():
            texts[cut] = text
        columns = cuts.starts.tolist(), cuts.stops.tolist(), texts
        return list(map(Replacement._make, zip(*columns, strict=True)))

    def all_but(self, kept: Subset) -> Mask:
        """Return the flags of the edits that are not kept: shape (N,)."""
        return all_but(kept, self._size)

    def merged(self, applied: Mask) -> Cuts:
        """Return what the flagged edits delete, exactly, as maximal cuts, and their texts."""
        chosen = applied[self.owners].nonzero()[0]
        starts = self.starts[chosen]
        reach = np.maximum.accumulate(self.stops[chosen])
        before = np.concatenate(([-1], reach[:-1]))
        heads = (starts > before).nonzero()[0]
        tails = np.append(heads[1:], chosen.size)[: heads.size] - 1
        texts: dict[int, bytes] = {}
        if self._texts:
            cut_of = heads.searchsorted(np.arange(chosen.size), side="right") - 1
            alive = (starts >= before).nonzero()[0]
            for cut, at in zip(cut_of[alive].tolist(), chosen[alive].tolist(), strict=True):
                if self._texts[at]:
                    texts[cut] = texts.get(cut, b"") + self._texts[at]
        return Cuts(starts[heads], reach[tails], texts)

    def _repaired(self, applied: Mask) -> tuple[Cuts, Consistency | None]:
        """Return the merged edits, tidied, and repaired; keeps the last answer."""
        flags = applied.tobytes()
        if self._last is None or self._last[0] != flags:
            cuts = self.merged(applied)
            if self._tidy:
                cuts = self._layout.tidied(cuts)
            self._last = flags, self.file.repaired(cuts)
        return self._last[1]

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.file.data)

    # -- what each is worth ------------------------------------------------------------

    @cached_property
    def bytes_gained(self) -> Counts:
        """By how many bytes each edit alone shortens the document, the layout aside: (N,)."""
        lengths = self.stops - self.starts
        if self._texts:
            lengths = lengths - np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        gained = np.bincount(self.owners, weights=lengths, minlength=self._size)
        return gained.astype(np.int64)

    @property
    def weights(self) -> list[float]:
        """What each edit is worth to a minimizer: the bytes it gains, but at least one."""
        worth: list[float] = np.maximum(self.bytes_gained, 1).astype(np.float64).tolist()
        return worth
