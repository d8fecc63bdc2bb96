"""Write an element without contents as one tag."""

from __future__ import annotations

import re

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import propose

_EMPTY = re.compile(rb"<([^\s<>/&'\"=!?]+)(?:\s[^<>]*)?(></\1\s*>)")


def empty_elements(file: File, structure: Structure) -> Proposals[File]:
    """Propose `<a/>` for each `<a></a>`, in XML, HTML and the languages that contain them."""
    edits: list[Edit] = [
        (Replacement(*element.span(2), b"/>"),) for element in _EMPTY.finditer(file.data)
    ]
    if edits:
        yield propose(file, structure, edits)
