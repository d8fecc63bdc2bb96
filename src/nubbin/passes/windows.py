"""Delete neighbouring tokens together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.pieces import tokens
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

_MAX_WIDTH = 4  # tokens
#: In larger files, the windows are not worth their queries.
_MAX_TOKENS = 2000


def windows(file: File, structure: Structure) -> Proposals[File]:
    """Propose to delete every two, then every three and every four tokens in a row.

    A 1-minimal file can still hold tokens that go only together (Vulcan, Xu et al. 2023,
    looks at windows of this size).
    """
    for width in range(2, _MAX_WIDTH + 1):
        spans = list(_tokens(file.data))
        if width <= len(spans) <= _MAX_TOKENS:
            file = yield propose(file, structure, _windows(spans, width))


def _tokens(data: bytes) -> Iterator[Replacement]:
    """Yield the spans of the tokens that are not white space."""
    for start, stop in itertools.pairwise(tokens(data).offsets.tolist()):
        if not data[start:stop].isspace():
            yield Replacement(start, stop)


def _windows(spans: list[Replacement], width: int) -> list[Edit]:
    return [
        (Replacement(spans[i].start, spans[i + width - 1].stop),)
        for i in range(len(spans) - width + 1)
    ]
