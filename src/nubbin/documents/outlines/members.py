"""Members of a C-like program, and of its namespaces, by brackets alone.

Grammars misread the headers of C++: one attribute or macro that they do not know, and a node has
half a namespace. Brackets and semicolons show the members anyway.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from nubbin.documents.outlines.lexis import Lexed, lexed
from nubbin.documents.splice import Span
from nubbin.pattern import pattern

#: A directive, which takes its lines, or a block whose members stand for it.
_DIRECTIVE = pattern(rb"#(?:[^\\\n]|\\[\s\S])*")
_NAMESPACE = pattern(rb"""(?:(?:inline\s+)?namespace\b[^;={}]*|extern\s*"C(?:\+\+)?"\s*)(?=\{)""")
_BLANK = pattern(rb"\s*")
#: What follows a bracket that does not end its member.
_GOES_ON = pattern(rb"\s*(?:[;,=.)*&{(]|\[(?!\[)|:(?!:)|__attribute__\s*\(\([^;{}=]*\)\)\s*;)")
#: What precedes a bracket that does not end its member: a type that may declare names after it.
_TYPE = pattern(rb"(?:template\b[^;{}]*>\s*)?(?:\w+\s+)*?(?:struct|union|enum|class)\b[^()=]*\Z")
_ENDS, _OPENS = b";}", b"([{"


def members(data: bytes) -> tuple[list[Span], list[Span]]:
    """Return where the members of a program are, and the namespaces that hold some of them.

    A directive is a member. Linear in the length of the text.
    """
    text, namespaces = lexed(data), list[Span]()
    return [*_members(text, namespaces)], namespaces


def _members(text: Lexed, namespaces: list[Span]) -> Iterator[Span]:
    data, at = text.data, 0
    stops = [len(data)]  # of the namespaces around, the innermost last
    while stops:
        start = at = _after_blanks(data, at)
        if at >= stops[-1]:
            at = stops.pop() + 1
        elif directive := _DIRECTIVE.match(data, at, stops[-1]):
            at = directive.end()
            yield start, at
        elif (head := _NAMESPACE.match(data, at, stops[-1])) and head.end() in text.partners:
            at, stop = head.end() + 1, text.partners[head.end()]
            namespaces.append((start, stop + 1))
            stops.append(stop)
        else:
            at = _end(text, at, stops[-1])
            yield start, at


def _after_blanks(data: bytes, at: int) -> int:
    found = _BLANK.match(data, at)
    return found.end() if found else at


def _end(text: Lexed, start: int, stop: int) -> int:
    data, mark = text.data, bisect_left(text.marks, start)
    while mark < len(text.marks) and (at := text.marks[mark]) < stop:
        partner = text.partners.get(at, -1) if data[at] in _OPENS else -1
        if partner > at:
            is_over = data[at] == ord("{") and not (
                _GOES_ON.match(data, partner + 1, stop) or _TYPE.match(data, start, at)
            )
            at, mark = partner, bisect_left(text.marks, partner, mark)
        else:
            is_over = data[at] in _ENDS
        if is_over:
            return at + 1
        mark += 1
    return stop
