"""Placeholders for a removed definition, wherever something refers to it."""

from __future__ import annotations

from nubbin.documents.outlines.lexis import Lexed
from nubbin.documents.splice import Span

#: A text; or None, which removes the element of the list around a reference.
StandIn = bytes | None

#: Values for nothing in particular in some languages. The test decides which of them it accepts.
NEUTRAL: tuple[StandIn, ...] = (b"undef", None, b"null", b"0", b"None")

#: The largest distance from a reference to an end of the element, in bytes.
_MAX_ELEMENT = 1 << 10
_OPEN, _CLOSE = b"([{<", b")]}>"


def element_around(data: bytes, span: Span) -> Span | None:
    """Return the span of the list element around a reference, with one of its commas.

    It is in a list if a comma or a bracket precedes it on the same line. None elsewhere.
    """
    begin = max(span[0] - _MAX_ELEMENT, 0)
    text = Lexed(data[begin : span[1] + _MAX_ELEMENT])
    start, stop = span[0] - begin, span[1] - begin
    level = next(each for each in text.levels(_OPEN) if each.start <= start <= stop <= each.stop)
    marks = [mark for mark in level.marks if text.data[mark] not in b";|"]
    before = max((mark for mark in marks if mark < start), default=level.start - 1)
    after = min((mark for mark in marks if mark >= stop), default=level.stop)
    if before < 0 or text.data[before] in b"\n" + _CLOSE or text.data[after:][:1] in _OPEN:
        return None  # it is not in a list, or the list has no end
    first, last = begin + before, begin + after
    return (
        (first, last) if data[first] == ord(",") else (first + 1, last + (data[last] == ord(",")))
    )
