"""Delete pieces of a flat list: lines, tokens, characters, bytes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents import pieces
from nubbin.documents.document import Document
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Flat:
    """Proposes, once, every piece of the document for deletion."""

    name: str
    cut: pieces.Cut

    def propose(self, document: Document) -> Generator[Proposal, Document, None]:
        """Yield one proposal with an edit for each piece."""
        cut = self.cut(document.data)

        def render(kept: Subset) -> Document:
            return document.with_data(cut.join(kept))

        if len(cut):
            yield Proposal(len(cut), render, cut.weights.tolist())


#: The flat passes by the name of their atom, coarse to fine.
FLAT = {
    "lines": Flat("lines", pieces.lines),
    "tokens": Flat("tokens", pieces.tokens),
    "chars": Flat("chars", pieces.chars),
    "bytes": Flat("bytes", pieces.single_bytes),
}
