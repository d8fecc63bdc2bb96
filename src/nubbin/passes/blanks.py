"""Take out white space, as far as words stay apart."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.spans import Span
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import propose

# All white space but a single one between two words: that is as little as there can be.
_BLANK = re.compile(rb"(?!(?<=[\w\x80-\xff])\s[\w\x80-\xff])\s+")
_LINE_END = re.compile(rb"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Blanks:
    """Proposes to delete each run of white space; between words, one blank is left.

    Then to write as a bare line end what has to be one: without indentation and empty lines.
    """

    name: str = "white space"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield two proposals, with an edit for each run that is more than it must be."""
        edits: list[Edit] = [(Span(run.start(), run.end()),) for run in _BLANK.finditer(file.data)]
        if edits:
            file = yield propose(file, None, edits)
        ends = [run.span() for run in _LINE_END.finditer(file.data) if len(run[0]) > 1]
        if ends:
            yield propose(file, None, [(Span(*end, b"\n"),) for end in ends])
