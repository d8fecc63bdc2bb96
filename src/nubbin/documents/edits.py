"""Edits: the things that can be done to a document, as a list a minimizer can choose from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nubbin.documents.replacement import Replacement
from nubbin.documents.splice import Places, Runs, Seams, spliced
from nubbin.minimizers import Subset

Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


#: Spans of one document that belong together: all of them are applied or none is. To put a part
#: in the place of the whole, delete what is around the part: edits inside it still apply then.
Edit = tuple[Replacement, ...]


class Edits:
    """A list of N edits of the same bytes, any subset of which can be applied at once.

    A minimizer's subset is what it *keeps out*: the edits that are not applied, so the full
    subset is the document itself and the empty one has everything done. What overlaps is settled
    span by span: all bytes of all applied spans go; a text appears where its span started,
    unless that place belongs to a span that comes first. First comes the one that starts first,
    then the longer, then the one of the earlier edit. So the outermost wins, what it contains
    vanishes, and of two that overlap in part the second loses its text.

    With `tidy` the layout is looked after (see `Seams`): words do not run together, and a
    construct that has lines to itself takes them with it. Without it the bytes are exact.
    """

    def __init__(self, data: bytes, edits: Sequence[Edit], tidy: bool = True):
        """Make the list; raises ValueError where a span lies outside the document."""
        # What neither deletes nor inserts would still stand in the way of its neighbours.
        real = [
            (owner, *span)
            for owner, edit in enumerate(edits)
            for span in edit
            if span[0] != span[1] or span[2]
        ]
        places = np.array([row[:3] for row in real], dtype=np.int64).reshape(-1, 3).T
        self._arrange(data, len(edits), places, tidy, [row[3] for row in real])

    @classmethod
    def deletions(
        cls, data: bytes, starts: npt.ArrayLike, stops: npt.ArrayLike, tidy: bool = True
    ) -> Edits:
        """Return the list of edits that delete starts[i]..stops[i]-1, without a loop over them.

        Raises ValueError where a span lies outside the document.
        """
        made = cls.__new__(cls)
        size = np.size(starts)
        places = np.array([np.arange(size), starts, stops], dtype=np.int64)
        made._arrange(data, size, places[:, places[1] != places[2]], tidy)
        return made

    def _arrange(
        self, data: bytes, size: int, places: Places, tidy: bool, texts: Sequence[bytes] = ()
    ) -> None:
        """Put the spans, columns of owner, start and stop, in their order of precedence."""
        owners, starts, stops = places
        if np.any((starts < 0) | (starts > stops) | (stops > len(data))):
            raise ValueError("an edit reaches outside its document")
        order = np.lexsort((owners, -stops, starts))
        self.data = data
        self._size = size
        self._tidy = tidy
        self._owners, self._starts, self._stops = owners[order], starts[order], stops[order]
        self._texts = [texts[i] for i in order.tolist()] if any(texts) else []
        self._last: tuple[bytes, Runs] | None = None

    def __len__(self) -> int:
        return self._size

    # -- what becomes of the document --------------------------------------------------

    def render(self, kept: Subset) -> bytes:
        """Return the document with all edits applied but those of `kept`.

        Time is linear in the bytes and the spans; for deletions there is no loop over either.
        """
        return self.apply(self.all_but(kept))

    def apply(self, applied: Mask) -> bytes:
        """Return the document in which the edits flagged are applied: flags of shape (N,)."""
        return spliced(self.data, self._runs(applied))

    def spans(self, applied: Mask) -> list[Replacement]:
        """Return what `apply` changes: in order, disjoint, as `Parse.edited` wants to be told."""
        runs = self._runs(applied)
        ends = zip(runs.starts.tolist(), runs.stops.tolist(), strict=True)
        return [Replacement(*both, runs.texts.get(i, b"")) for i, both in enumerate(ends)]

    def all_but(self, kept: Subset) -> Mask:
        """Return the flags of the edits that are not kept: shape (N,)."""
        applied = np.ones(self._size, dtype=np.bool_)
        applied[kept.indices] = False
        return applied

    def _runs(self, applied: Mask) -> Runs:
        """Return what `_joined` does; the last answer is kept: `apply` and `spans` come in turn."""
        flags = applied.tobytes()
        if self._last is None or self._last[0] != flags:
            self._last = flags, self._joined(applied)
        return self._last[1]

    def _joined(self, applied: Mask) -> Runs:
        """Return what goes, in maximal runs, and the texts that appear in their places."""
        chosen = np.flatnonzero(applied[self._owners])
        starts = self._starts[chosen]
        reach = np.maximum.accumulate(self._stops[chosen])
        before = np.concatenate(([-1], reach[:-1]))
        heads = np.flatnonzero(starts > before)
        tails = np.append(heads[1:], chosen.size)[: heads.size] - 1
        texts: dict[int, bytes] = {}
        if self._texts:
            run_of = np.searchsorted(heads, np.arange(chosen.size), side="right") - 1
            alive = np.flatnonzero(starts >= before)
            for run, at in zip(run_of[alive].tolist(), chosen[alive].tolist(), strict=True):
                if self._texts[at]:
                    texts[run] = texts.get(run, b"") + self._texts[at]
        runs = Runs(starts[heads], reach[tails], texts)
        return self._seams.tidied(runs) if self._tidy else runs

    @cached_property
    def _seams(self) -> Seams:
        return Seams(self.data)

    # -- what each is worth ------------------------------------------------------------

    @cached_property
    def bytes_gained(self) -> Counts:
        """By how many bytes each edit alone makes the document shorter, its layout aside: (N,)."""
        lengths = self._stops - self._starts
        if self._texts:
            lengths = lengths - np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        return self._summed(lengths)

    @property
    def weights(self) -> list[float]:
        """What each edit is worth to a minimizer: the bytes it gains, but at least one."""
        worth: list[float] = np.maximum(self.bytes_gained, 1).astype(np.float64).tolist()
        return worth

    def _summed(self, per_span: Counts) -> Counts:
        return np.bincount(self._owners, weights=per_span, minlength=self._size).astype(np.int64)
