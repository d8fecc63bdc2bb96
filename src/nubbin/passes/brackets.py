"""Delete a pair of brackets, and leave what is between them."""

from __future__ import annotations

import re

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

_BRACKET = re.compile(rb"[][(){}<>]")
_OPENING = {b")": b"(", b"]": b"[", b"}": b"{", b">": b"<"}


def brackets(file: File, structure: Structure | None = None) -> Proposals[File]:
    """Propose to delete each pair of brackets and leave what is between them."""
    if edits := _pairs(file.data):
        yield propose(file, structure, edits)


def _pairs(data: bytes) -> list[Edit]:
    """Return an edit for each pair of brackets, without what is between them."""
    edits: list[Edit] = []
    open_: list[tuple[bytes, Replacement]] = []
    for bracket in _BRACKET.finditer(data):
        opening, span = _OPENING.get(bracket[0]), Replacement(*bracket.span())
        if opening is None:
            open_.append((bracket[0], span))
        elif open_ and open_[-1][0] == opening:
            edits.append((open_.pop()[1], span))
    return edits
