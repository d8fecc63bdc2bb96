"""A pass without the edits that would change what is protected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nubbin.documents.document import Document
from nubbin.documents.parts import Parts, Protected
from nubbin.passes.proposal import Pass, Proposal, Proposals, Spans, next_proposal
from nubbin_core.minimizers.subset import Subset


@dataclass(frozen=True, slots=True)
class Unprotected:
    """Takes the edits off the lists of a pass that change a part which must stay, even in part.

    `protected` finds these parts in a file. A list of which nothing is left is not asked about.
    """

    whole: Pass
    protected: Protected

    @property
    def name(self) -> str:
        """What a person calls the pass."""
        return self.whole.name

    @property
    def piece(self) -> str:
        """What the pass proves that none can be removed of, as far as the file may change."""
        return self.whole.piece

    def propose(self, document: Document) -> Proposals[Document]:
        """Yield what is left of the proposals."""
        running = self.whole.propose(document)
        proposal = next_proposal(running)
        while proposal is not None:
            free = self._free(document, proposal)
            if free.all():
                document = yield proposal
            elif free.any():
                document = yield proposal.only(Subset.of(np.flatnonzero(free)))
            proposal = next_proposal(running, document)

    def _free(self, document: Document, proposal: Proposal[Document]) -> npt.NDArray[np.bool_]:
        """Return which edits change nothing that is protected: flags of shape (N,)."""
        free = np.ones(proposal.size, dtype=np.bool_)
        files = {file.path: file for file in document.files}
        for each in proposal.spans():
            free[each.owners[_overlap(each, self.protected(files[each.path].data))]] = False
        return free


def _overlap(spans: Spans, parts: Parts) -> npt.NDArray[np.bool_]:
    """Return which spans have a byte of a part, or lie inside one: flags of shape (S,)."""
    following = np.searchsorted(parts.stops, spans.starts, "right")
    overlap: npt.NDArray[np.bool_] = np.append(parts.starts, np.iinfo(np.int64).max)[following] < (
        spans.stops
    )
    return overlap
