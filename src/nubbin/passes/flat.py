"""Delete pieces of a flat list: lines, tokens, characters, bytes."""

from __future__ import annotations

import numpy as np

from nubbin.documents import pieces
from nubbin.documents.file import File
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal, Proposals, Spans


def flat(split: pieces.Splitter) -> FilePass:
    """Return the pass that proposes, once, to delete each piece that `split` makes of a file."""

    def propose(file: File) -> Proposals[File]:
        found = split(file.data)
        if len(found):
            yield deletions(file, found)

    return propose


def deletions(file: File, found: pieces.Pieces) -> Proposal[File]:
    """Return the proposal to delete each piece of a file."""

    def render(kept: Subset) -> File:
        return file.with_data(found.join(kept))

    def spans() -> list[Spans]:
        starts, stops = found.offsets[:-1], found.offsets[1:]
        return [Spans(file.path, np.arange(len(found)), starts, stops)]

    return Proposal(len(found), render, found.weights.tolist(), spans=spans)


#: The flat passes by the name of their atom, coarse to fine.
FLAT = {
    "lines": flat(pieces.lines),
    "tokens": flat(pieces.tokens),
    "chars": flat(pieces.chars),
    "bytes": flat(pieces.single_bytes),
}
