"""Write an element without contents as one tag."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import propose

_EMPTY = re.compile(rb"<([^\s<>/&'\"=!?]+)(?:\s[^<>]*)?(></\1\s*>)")


@dataclass(frozen=True, slots=True)
class EmptyElements:
    """Proposes `<a/>` for each `<a></a>`, in XML, HTML and the languages that have it inside."""

    syntax: Structure
    name: str = "empty elements"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each element."""
        edits: list[Edit] = [
            (Replacement(*element.span(2), b"/>"),) for element in _EMPTY.finditer(file.data)
        ]
        if edits:
            yield propose(file, self.syntax, edits)
