"""Line breaks for reading: one statement a line, and what is in braces indented."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.replacement import Replacement, replaced
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node

_INDENT = b"  "
_OPENING, _CLOSING = (b"(", b"[", b"{"), (b")", b"]", b"}")


def with_line_breaks(data: bytes, structure: Structure) -> bytes:
    """Return a text with a line break after each semicolon, and inside and after braces.

    None is put inside a leaf of the tree, such as a string, and nothing but white space is changed.
    The text stays as it is if the structure would have more errors with them.
    """
    leaves = [node for node in structure.nodes(data) if not node.children]
    depths = {_white_space(data, offset): depth for offset, depth in _places(data, leaves)}
    breaks = [
        Replacement(start, stop, b"\n" + depth * _INDENT)
        for (start, stop), depth in sorted(depths.items())
        if stop < len(data) and data[start - 1 : start] + data[stop : stop + 1] != b"{}"
    ]
    edited = replaced(data, Replacement(0, len(data)), breaks)
    return edited if structure.allows_edit(data, edited, breaks) else data


def _white_space(data: bytes, offset: int) -> tuple[int, int]:
    """Return the start and the end of the white space around an offset, which may be empty."""
    start = stop = offset
    while data[start - 1 : start].isspace():
        start -= 1
    while data[stop : stop + 1].isspace():
        stop += 1
    return start, stop


def _places(data: bytes, leaves: list[Node]) -> Iterator[tuple[int, int]]:
    """Yield the offsets at which lines break, each with the number of braces around it."""
    open_: list[bytes] = []
    for leaf in leaves:
        text = data[leaf.start : leaf.stop]
        if text in _CLOSING and open_:
            opened = open_.pop()
            if opened == b"{":
                yield leaf.start, open_.count(b"{")
        if not leaf.named and text.endswith(_OPENING):
            open_.append(text)
        in_braces = not open_ or open_[-1] == b"{"
        if in_braces and (text == b"{" or _ends_item(data, leaf)):
            yield leaf.stop, open_.count(b"{")


def _ends_item(data: bytes, mark: Node) -> bool:
    """Tell whether a mark ends an item of the text, or of what is in braces around it."""
    text = data[mark.start : mark.stop]
    if text not in (b",", b"}"):
        return text == b";"
    around = mark.parent
    while around is not None and around.stop == mark.stop:
        around = around.parent
    return around is None or around.parent is None or data[around.start] == ord("{")
