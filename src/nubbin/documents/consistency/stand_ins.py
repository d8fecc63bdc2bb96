"""What stands in for a definition that is gone, wherever something refers to it."""

from __future__ import annotations

from nubbin.documents.splice import Span

#: A text; or None, and then the element of the list around a reference goes with it.
StandIn = bytes | None

#: What languages have for no value in particular. Which of them will do, the test says.
NEUTRAL: tuple[StandIn, ...] = (b"undef", None, b"null", b"0", b"None")

#: An element of a list is looked for this far from a reference, in bytes.
_MAX_ELEMENT = 1 << 10
_OPEN, _CLOSE = b"([{<", b")]}>"


def element_around(data: bytes, span: Span) -> Span | None:
    """Return where the element of a list around a reference stands, with one of its commas.

    Where a comma or a bracket comes first on the left, on the same line, is a list. None elsewhere.
    """
    start, stop = span
    depth = 0
    for begin in range(start, max(start - _MAX_ELEMENT, 0), -1):
        byte = data[begin - 1]
        depth += (byte in _CLOSE) - (byte in _OPEN)
        if depth < 0 or (depth == 0 and byte in b",\n"):
            break
    else:
        return None
    if byte == ord("\n"):
        return None
    depth = 0
    for end in range(stop, min(stop + _MAX_ELEMENT, len(data))):
        after = data[end]
        depth += (after in _OPEN) - (after in _CLOSE)
        if depth < 0 or (depth == 0 and after in b",\n"):
            if byte == ord(","):
                return begin - 1, end
            return begin, end + (after == ord(","))
    return None
