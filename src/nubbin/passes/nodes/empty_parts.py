"""Empty the parts of a long list to which a small rest of the file refers."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.nodes.long_list import LongList
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose

#: Shorter lists are asked about as they are.
_MIN_PARTS = 32
#: The parts are emptied in so many groups first, and one by one if a group can be.
_GROUPS = 8
_EMPTY_OBJECT, _EMPTY_LIST = b"{}", b"[]"


def empty_parts(file: File, gate: Gate) -> Proposals[File]:
    """Propose to leave `{}` of the values in a long list, if what is around the list uses them.

    What refers to a definition that is empty can stay, as what calls a function that does nothing:
    so each definition of a schema can be emptied, whatever refers to it, but for the few that lead
    to what matters. If they cannot, this ends after eight questions.
    """
    found = LongList.of(gate.structure, file.data, _MIN_PARTS)
    if found is None or not found.used():
        return
    edits = _emptied(gate, file.data, found.parts)
    size = max(len(edits) // _GROUPS, 1)
    groups = [
        tuple(span for edit in edits[at : at + size] for span in edit)
        for at in range(0, len(edits), size)
    ]
    if groups:
        before = file
        file = yield propose(file, gate.structure, groups)
        found = LongList.of(gate.structure, file.data, _MIN_PARTS) if file != before else None
        edits = _emptied(gate, file.data, found.parts) if found else []
        if edits:
            yield propose(file, gate.structure, edits)


def _emptied(gate: Gate, data: bytes, parts: Sequence[Node]) -> list[Edit]:
    """Return an edit for each value with anything in it."""
    starts = {part.start for part in parts}
    depth = parts[0].depth + 1
    values = (
        node
        for node in gate.structure.nodes(data, depth)
        if node.role == "value" and node.parent and node.parent.start in starts
    )
    return [
        (Replacement(value.start, value.stop, text),)
        for value in values
        if value.depth == depth and (text := _empty(gate, data, value))
    ]


def _empty(gate: Gate, data: bytes, value: Node) -> bytes | None:
    """Return the empty object or list that can stand for one; None if a value is neither."""
    if data.startswith((b"[", b"{"), value.start) or b"\n" in data[value.start : value.stop]:
        text = _EMPTY_LIST if data.startswith((b"[", b"- "), value.start) else _EMPTY_OBJECT
        if len(value) > len(text) and gate.may_replace(data, value, text.decode(), text):
            return text
    return None
