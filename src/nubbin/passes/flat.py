"""Delete pieces of a flat list: lines, tokens, characters, bytes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents import pieces
from nubbin.documents.file import File
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import Proposal


@dataclass(frozen=True, slots=True)
class Flat:
    """Proposes, once, every piece of the document for deletion."""

    name: str
    cut: pieces.Cut

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each piece."""
        cut = self.cut(file.data)

        def render(kept: Subset) -> File:
            return file.with_data(cut.join(kept))

        if len(cut):
            yield Proposal(len(cut), render, cut.weights.tolist())


#: The flat passes by the name of their atom, coarse to fine.
FLAT = {
    "lines": Flat("lines", pieces.lines),
    "tokens": Flat("tokens", pieces.tokens),
    "chars": Flat("chars", pieces.chars),
    "bytes": Flat("bytes", pieces.single_bytes),
}
