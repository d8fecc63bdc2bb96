"""What stands in for a definition that is gone, wherever something refers to it."""

from __future__ import annotations

from nubbin.documents.outlines.lexis import Lexed
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
    begin = max(span[0] - _MAX_ELEMENT, 0)
    text = Lexed(data[begin : span[1] + _MAX_ELEMENT])
    start, stop = span[0] - begin, span[1] - begin
    level = next(each for each in text.levels(_OPEN) if each.start <= start <= stop <= each.stop)
    marks = [mark for mark in level.marks if text.data[mark] not in b";|"]
    before = max((mark for mark in marks if mark < start), default=level.start - 1)
    after = min((mark for mark in marks if mark >= stop), default=level.stop)
    if before < 0 or text.data[before] in b"\n" + _CLOSE or text.data[after:][:1] in _OPEN:
        return None  # there is no list, or no end of it
    first, last = begin + before, begin + after
    return (
        (first, last) if data[first] == ord(",") else (first + 1, last + (data[last] == ord(",")))
    )
