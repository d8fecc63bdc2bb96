"""Delete the headers of a preprocessed program, each with those that it includes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nubbin.documents.file import File
from nubbin.documents.spans import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern

#: `# 1 "file" 1` enters a file, and `# 7 "file" 2` returns to one.
_MARKER = pattern(rb'^# \d+ "([^"\n]*)"(?: ([12])\b)?.*$', re.MULTILINE)
_ENTERS, _RETURNS = b"1", b"2"
#: A function may be declared here and defined nowhere. In C, an empty body always compiles.
DECLARED_IN = frozenset({"cpp", "cuda"})
#: Its brackets may be three deep: `__attribute__((__format__(__printf__, 1, 2)))`.
_ATTRIBUTE = pattern(
    rb"__attribute__\s*\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\[\[[^\[\]]*\]\]"
)
#: Of a program whose own part is at most this share of the file, other passes find what it reaches.
MAX_ROOTS_FRACTION = 1 / 16
#: The pass ends when so many levels in a row removed less than this share of the file.
_MAX_VAIN, _MIN_GAIN = 2, 1 / 16


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
    yield propose(file, gate.structure, edits)


def has_headers(data: bytes) -> bool:
    """Tell whether a text has markers that show what was included."""
    return any(True for _ in _included(data))


def headers(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the headers of the main file, then those that these include, and so on.

    A header contains what no header before it has included, so other files may need a part of it;
    its own headers are tried a level further down. The pass ends after two levels in which the test
    needs nearly every header. If the main file is short, what it reaches costs fewer queries.
    """
    if len(file.data) - main_file(file.data) <= MAX_ROOTS_FRACTION * len(file.data):
        return
    depth, vain = 1, 0
    while vain < _MAX_VAIN:
        edits = [(span,) for level, span in _included(file.data) if level == depth]
        if not edits:
            return
        before = len(file.data)
        file = yield propose(file, gate.structure, edits)
        is_vain = before - len(file.data) < _MIN_GAIN * before
        depth, vain = depth + 1, vain + 1 if is_vain else 0


def _included(data: bytes) -> Iterator[tuple[int, Replacement]]:
    """Yield the depth of each header, and its span up to the marker after it."""
    open_: list[tuple[bytes, int]] = []
    for marker in _MARKER.finditer(data):
        name, flag = marker[1], marker[2]
        if flag == _ENTERS:
            open_.append((name, marker.start()))
        elif flag == _RETURNS:
            while open_ and open_[-1][0] != name:
                yield len(open_), Replacement(open_.pop()[1], marker.start())
