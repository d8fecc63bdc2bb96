"""Remove from a pass the edits that would change protected parts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nubbin.documents.document import Document
from nubbin.documents.parts import Parts, Protected
from nubbin.passes.proposal import Pass, Proposal, Spans, changed
from nubbin_core.minimizers.subset import Subset


def unprotected(each: Pass, protected: Protected) -> Pass:
    """Return a pass without the edits that change any of a protected part.

    `protected` finds these parts in a file. A list without other edits is not proposed.
    """

    def change(document: Document, proposal: Proposal[Document]) -> Proposal[Document] | None:
        free = np.ones(proposal.size, dtype=np.bool_)
        files = {file.path: file for file in document.files}
        for spans in proposal.spans():
            free[spans.owners[_overlap(spans, protected(files[spans.path].data))]] = False
        if free.all():
            return proposal
        return proposal.only(Subset.of(np.flatnonzero(free))) if free.any() else None

    return changed(each, change)


def _overlap(spans: Spans, parts: Parts) -> npt.NDArray[np.bool_]:
    """Return which spans have a byte of a part, or lie inside one: flags of shape (S,)."""
    following = np.searchsorted(parts.stops, spans.starts, "right")
    overlap: npt.NDArray[np.bool_] = np.append(parts.starts, np.iinfo(np.int64).max)[following] < (
        spans.stops
    )
    return overlap
