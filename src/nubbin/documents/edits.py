"""Files, and lists of edits of a file from which a minimizer can choose any subset."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Cuts, Layout, Mask, spliced
from nubbin_core.minimizers import Subset

if TYPE_CHECKING:
    from nubbin.documents.consistency.consistency import Consistency


class Link(bytes):
    """The target of a symbolic link, instead of the contents of a file.

    A link differs from a file with the same bytes, and is never followed: its target is not part of
    the document.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and bytes.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((Link, bytes(self)))

    def __repr__(self) -> str:
        return f"Link({bytes(self)!r})"


@dataclass(frozen=True, slots=True)
class File:
    """The bytes of one file, and the path that the test finds it at; or a `Link`.

    `path` is relative, with slashes. Bytes are never decoded, so invalid UTF-8, NULs and CRLF
    survive. `consistency` has the known numbers in it that depend on the rest; files with the same
    bytes are equal whatever is known of them.
    """

    path: str
    data: bytes
    consistency: Consistency | None = field(default=None, compare=False, repr=False)

    @property
    def is_link(self) -> bool:
        """Whether it is a link, which is kept or removed, but not edited."""
        return isinstance(self.data, Link)

    @property
    def has_layout(self) -> bool:
        """Whether white space is tidied around deletions: not in files known as bytes."""
        return self.consistency is None or not self.consistency.of_bytes

    def with_data(self, data: bytes, consistency: Consistency | None = None) -> File:
        """Return the same file with other contents."""
        return File(self.path, data, consistency)

    def repaired(self, cuts: Cuts) -> tuple[Cuts, Consistency | None]:
        """Return the cuts with corrections of dependent numbers, and these numbers afterwards."""
        if self.consistency is None:
            return cuts, None
        return self.consistency.repaired(self.data, cuts)

    def cut(self, cuts: Cuts) -> File:
        """Return the file without the cuts, and with corrected dependent numbers."""
        cuts, consistency = self.repaired(cuts)
        return self.with_data(spliced(self.data, cuts), consistency)


#: Replacements in one file that are made together or not at all. To replace a node with a part of
#: it, delete what is around the part: then edits inside of it still apply.
Edit = tuple[Replacement, ...]
#: Edits of files, by path, that are made together; None deletes the file.
FilesEdit = Mapping[str, Edit | None]


def gain(edit: Sequence[Replacement]) -> int:
    """Return how many bytes an edit removes, without the layout around it."""
    return sum(stop - start - len(text) for start, stop, text in edit)


def all_but(kept: Subset, size: int) -> Mask:
    """Return the flags of all elements of a list except those that are kept: shape (size,)."""
    lengths = np.diff(np.asarray(kept.bounds), prepend=0, append=size)
    applied: Mask = (np.arange(lengths.size) % 2 == 0).repeat(lengths)
    return applied


def subset_of(mask: Mask) -> Subset:
    """Return the set of the flagged elements; no loop over them."""
    bounds = np.flatnonzero(np.diff(mask, prepend=False, append=False)).astype(np.int64)
    return Subset(array("q", bounds.tobytes()), int(np.count_nonzero(mask)))


class Edits:
    """A list of N edits of the same file, any subset of which can be applied at once.

    A minimizer's subset has the edits that are *not* applied: the full subset is the file itself,
    and the empty subset applies all edits. Spans may overlap. All bytes of all applied spans are
    deleted. The text of a span appears at its start, unless an earlier span covers that byte. Spans
    are ordered by their start, then the longer first, then by their edits. So an outer span removes
    the texts of all spans in it, and of two spans that overlap in part, the second loses its text.

    The layout is tidied (see `Layout`): words do not run together, and a construct that fills lines
    is deleted with them. Numbers that depend on the rest are corrected (`File.cut`).
    """

    def __init__(self, file: File, edits: Sequence[Edit], *, tidy: bool = True):
        """Make the list; raises ValueError if a span lies outside the document."""
        # Empty spans are dropped, because they would come before spans with the same start.
        spans = [
            (owner, *span)
            for owner, edit in enumerate(edits)
            for span in edit
            if span.start != span.stop or span.text
        ]
        # One by one, so that Ctrl-C works: in `np.array` it does not, and that is no faster.
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
        self._last: tuple[Subset, tuple[Cuts, Consistency | None]] | None = None

    def __len__(self) -> int:
        return self._size

    # -- applying edits ----------------------------------------------------------------

    def render(self, kept: Subset) -> File:
        """Return the file with all edits applied except those of `kept`.

        Time is linear in the bytes and the spans.
        """
        cuts, consistency = self._repaired(kept)
        return self.file.with_data(spliced(self.file.data, cuts), consistency)

    def spans(self, kept: Subset) -> list[Replacement]:
        """Return the replacements of `render`, in order and disjoint: see `Parse.edited`."""
        cuts, _ = self._repaired(kept)
        texts = [b""] * cuts.starts.size
        for cut, text in cuts.texts.items():
            texts[cut] = text
        columns = cuts.starts.tolist(), cuts.stops.tolist(), texts
        return list(map(Replacement._make, zip(*columns, strict=True)))

    def merged(self, kept: Subset) -> Cuts:
        """Return exactly what all edits but those of `kept` delete: maximal cuts, with texts."""
        chosen = all_but(kept, self._size)[self.owners].nonzero()[0]
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

    def _repaired(self, kept: Subset) -> tuple[Cuts, Consistency | None]:
        """Return the merged edits, tidied and with corrected numbers; the last answer is cached."""
        if self._last is None or self._last[0] != kept:
            cuts = self.merged(kept)
            if self._tidy:
                cuts = self._layout.tidied(cuts)
            self._last = kept, self.file.repaired(cuts)
        return self._last[1]

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.file.data)

    @property
    def weights(self) -> list[float]:
        """The weight of each edit: the bytes it gains apart from the layout, but at least one."""
        lengths = self.stops - self.starts
        if self._texts:
            lengths = lengths - np.fromiter(map(len, self._texts), np.int64, len(self._texts))
        gained = np.bincount(self.owners, weights=lengths, minlength=self._size)
        worth: list[float] = np.maximum(gained, 1).tolist()
        return worth
