"""Read where the headers of a preprocessed program are, and delete its markers and attributes."""

from __future__ import annotations

import re

from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits
from nubbin.pattern import pattern

#: `# 1 "file" 1` enters a file, and `# 7 "file" 2` returns to one.
_MARKER = pattern(rb'^# \d+ "([^"\n]*)"(?: ([12])\b)?.*$', re.MULTILINE)
_RETURNS = b"2"
#: A function may be declared here and defined nowhere. In C, an empty body always compiles.
DECLARED_IN = frozenset({"cpp", "cuda"})
#: Its brackets may be three deep: `__attribute__((__format__(__printf__, 1, 2)))`.
_ATTRIBUTE = pattern(
    rb"__attribute__\s*\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\[\[[^\[\]]*\]\]"
)


def main_file(data: bytes) -> int:
    """Return the offset after the last header of a preprocessed program; 0 if it has none.

    Markers without a flag only count lines: gcc writes them around expanded macros.
    """
    main, end = None, 0
    for marker in _MARKER.finditer(data):
        main = main or marker[1]
        if marker[2]:
            end = marker.end() if marker[2] == _RETURNS and marker[1] == main else 0
    return end


def is_border(text: bytes) -> bool:
    """Tell whether a text is a marker that enters a file or returns to one."""
    marker = _MARKER.fullmatch(text.strip()) if text.startswith(b"#") else None
    return marker is not None and marker[2] is not None


def without_annotations(text: bytes) -> bytes:
    """Return a text without attributes and line markers, which name the file of the next lines."""
    return _ATTRIBUTE.sub(b"", _MARKER.sub(b"", text))


def unannotated(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete all markers that only count lines, except the first, and all attributes.

    Grammars do not expect markers inside of statements, where macros are expanded, and attributes
    after the names of functions and namespaces. Costs a query for each of the two.
    """
    _, *others = _MARKER.finditer(file.data)
    counting = [Replacement(*marker.span()) for marker in others if not marker[2]]
    attributes = [Replacement(*found.span()) for found in _ATTRIBUTE.finditer(file.data)]
    edits = (tuple(spans) for spans in (counting, attributes) if spans)
    yield from try_edits(file, gate.structure, edits)


def has_headers(data: bytes) -> bool:
    """Tell whether a text has a marker that returns from a header."""
    return any(marker[2] == _RETURNS for marker in _MARKER.finditer(data))
