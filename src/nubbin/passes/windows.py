"""Delete things that go only together: a few neighbouring tokens, a pair of brackets."""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.pieces import tokens
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import propose

_BRACKET = re.compile(rb"[][(){}<>]")
_OPENING = {b")": b"(", b"]": b"[", b"}": b"{", b">": b"<"}
_WIDEST = 4
#: Above this many tokens the windows are not worth their queries.
_LARGEST = 2000


@dataclass(frozen=True, slots=True)
class Brackets:
    """Proposes to delete every pair of brackets and leave what is between them."""

    syntax: Structure | None
    name: str = "brackets"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each pair."""
        if edits := _pairs(file.data):
            yield propose(file, self.syntax, edits)


@dataclass(frozen=True, slots=True)
class Windows:
    """Proposes to delete every two, three and four tokens in a row.

    What is 1-minimal can still hold things that go only together (Vulcan, Xu et al. 2023,
    looks at windows of this size).
    """

    syntax: Structure | None
    name: str = "windows"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal for each width."""
        for width in range(2, _WIDEST + 1):
            spans = list(_tokens(file.data))
            if width <= len(spans) <= _LARGEST:
                file = yield propose(file, self.syntax, _windows(spans, width))


def _tokens(data: bytes) -> Iterator[Replacement]:
    """Yield the tokens that are not white space."""
    cuts = tokens(data).cuts.tolist()
    for start, stop in itertools.pairwise(cuts):
        if not data[start:stop].isspace():
            yield Replacement(start, stop)


def _windows(spans: list[Replacement], width: int) -> list[Edit]:
    return [
        (Replacement(spans[i].start, spans[i + width - 1].stop),)
        for i in range(len(spans) - width + 1)
    ]


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
