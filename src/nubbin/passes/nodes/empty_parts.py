"""Empty the parts of a long list to which a small rest of the file refers."""

from __future__ import annotations

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.long_list import LongList
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: Shorter lists are asked about as they are.
_MIN_PARTS = 32
#: So many of the heaviest parts come first; if none of them can be empty, no others are tried.
_FIRST = 8
_EMPTY_OBJECT, _EMPTY_LIST = b"{}", b"[]"


def empty_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to leave `{}` of the values in a long list, if what is around the list uses them.

    What refers to a definition that is empty can stay, as what calls a function that does nothing:
    so each definition of a schema can be emptied, whatever refers to it, but for the few that lead
    to what matters. If the heaviest cannot, this ends after eight questions.
    """
    found = LongList.of(gate.structure, file.data, _MIN_PARTS)
    if found is None or not found.used():
        return
    edits = _emptied(gate, found)
    heaviest = edits[-_FIRST:]
    if heaviest:
        before = file
        file = yield propose(file, gate.structure, heaviest)
        found = LongList.of(gate.structure, file.data, _MIN_PARTS) if file != before else None
        edits = _emptied(gate, found) if found else []
        if edits:
            yield propose(file, gate.structure, edits)


def _emptied(gate: Gate, found: LongList) -> list[Edit]:
    """Return an edit for each value with anything in it, the heaviest, which go first, last."""
    data, depth = found.data, found.depth + 1
    starts = {part.start for part in found.parts}
    values = (
        node
        for node in gate.structure.nodes(data, depth)
        if node.role == "value" and node.parent and node.parent.start in starts
    )
    return [
        (Replacement(value.start, value.stop, text),)
        for value in sorted(values, key=len)
        if value.depth == depth and (text := _empty(gate, data, value))
    ]


def _empty(gate: Gate, data: bytes, value: Node) -> bytes | None:
    """Return the empty object or list that can stand for one; None if a value is neither."""
    if data.startswith((b"[", b"{"), value.start) or b"\n" in data[value.start : value.stop]:
        text = _EMPTY_LIST if data.startswith((b"[", b"- "), value.start) else _EMPTY_OBJECT
        if len(value) > len(text) and gate.may_replace(data, value, text.decode(), text):
            return text
    return None
