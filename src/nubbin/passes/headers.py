"""Read C and C++ programs by their text: headers, members and their heads; delete headers.

Grammars misread preprocessed programs: one attribute or macro that they do not know, and a node has
half a namespace. Line markers, brackets and semicolons show the parts anyway.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from nubbin.documents.edits import File
from nubbin.documents.outlines.lexis import Lexed, lexed, words_of
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern

#: `# 1 "file" 1` enters a file, and `# 7 "file" 2` returns to one.
_MARKER = pattern(rb'^# \d+ "([^"\n]*)"(?: ([12])\b)?.*$', re.MULTILINE)
_ENTERS, _RETURNS = b"1", b"2"
#: A function may be declared here and defined nowhere. In C, an empty body always compiles.
DECLARED_IN = frozenset({"cpp", "cuda"})
C_LIKE = frozenset({"c", *DECLARED_IN})
#: Its brackets may be three deep: `__attribute__((__format__(__printf__, 1, 2)))`.
_ATTRIBUTE = pattern(
    rb"__attribute__\s*\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\[\[[^\[\]]*\]\]"
)
#: If the main file is at most this share of the text, `reached` is used in the place of `headers`.
MAX_ROOTS_FRACTION = 1 / 16
#: The pass ends when this number of levels in a row removed less than this share of the file.
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


# -- the heads of members ------------------------------------------------------------------

#: Brackets without their contents.
_PAIR = pattern(rb"\(\)|<>|\[\]")
_DIRECTIVE = pattern(rb"#(?:\s*define\s+(\w+))?")
#: What precedes a declaration of any kind.
_BEFORE = pattern(
    rb"(?:\s*+(?:template\s*+<>|(?:__extension__|const|constexpr|inline|static)\b|"
    rb'extern\b(?:\s*+"[^"]*+")?))*+\s*+'
)
_ALIAS = pattern(
    rb"using\s+(?:(\w++)\s*+=|[^=]*?\b(\w++)\s*+;?\s*+\Z)|"
    rb"typedef\b(?:[^;]*?\b(\w++)[\s;\[\]]*+\Z)?"
)
#: The class before the name of a member.
_CLASS = rb"(?:\b(\w++)\s*+(?:<>)?\s*+::\s*+)"
_TYPE = pattern(
    rb"(?:typedef\s++)?(?:class|struct|union|(enum)(?:\s++class\b|\s++struct\b)?)\b\s*+"
    + _CLASS
    + rb"*+(\w++)?\s*+(<>)?\s*+(?:final\b\s*+)?(?:;|:(?!:)|\Z)"
)
_OPERATOR = pattern(_CLASS + rb"?\boperator\b\s*+(?:(\"\")|\(\))?[^()]*+\(\)")
_FUNCTION = pattern(
    _CLASS + rb"?\b(?!(?:__declspec|alignas|decltype|explicit|noexcept|requires|throw|"
    rb"(?:__)?(?:asm|typeof)(?:__)?)\b)(\w++)\s*+(<>)?\s*+\(\)"
)
_VARIABLE = pattern(
    _CLASS + rb"?\b(\w++)\s*+(?:<>\s*+)?(?:\[\]\s*+)*+(?::[^:,;=]*+)?(?:=[^,;]*+)?(?=[,;]|\Z)"
)
#: What ends the declarator of a function.
_INITIAL = pattern(rb"=|(?<!:):(?!:)")
_POINTER = pattern(rb"\s*+[*&]++\s*+(\w++)")
#: A variable after the members of its type, which has a value: `struct { ... } a[] = {`.
_WITH_VALUE = pattern(rb"\}\s*+(\w++)\s*+(?:\[\w*+\]\s*+)*+=")
#: The names of the constants of an enumeration.
_CONSTANT = pattern(rb"(?:\A|,)\s*+(\w++)")


class PartHead(NamedTuple):
    """The names that a part declares, and the words for which alone it declares them.

    These are the words in the parameters of a function, in the arguments of a specialization, and
    the class before the name of a member. Only operators declare no name. If a part `is_partial`,
    another one declares the name for itself: it is a member or a specialization.
    """

    names: frozenset[bytes]
    awaited: frozenset[bytes] = frozenset()
    is_type: bool = False
    is_partial: bool = False


@lru_cache(maxsize=1 << 14)
def head_of(text: bytes) -> PartHead:
    """Return the head of a part; cached, because most parts do not change."""
    text = without_annotations(text)
    if directive := _DIRECTIVE.match(text):
        return PartHead(frozenset([directive[1]] if directive[1] else words_of(text)))
    part = _Bare.of(text)
    if found := _TYPE.match(part.bare, part.start):
        return _type(part, found)
    if found := _ALIAS.match(part.bare, part.start):
        return _alias(part, found)
    if found := _OPERATOR.search(part.bare, part.start):
        return _operator(part, found)
    if found := _FUNCTION.search(part.bare, part.start, part.start + len(part.declarator)):
        return _function(part, found)
    return _variables(part)


class _Bare(NamedTuple):
    """What precedes the body of a part, without the contents of brackets."""

    bare: bytes
    contents: list[bytes]
    #: Where the declaration begins in `bare`.
    start: int
    #: The same with the contents of brackets, and what follows its end.
    head: bytes
    rest: bytes

    @classmethod
    def of(cls, text: bytes) -> _Bare:
        stop = text.find(b"{")
        while stop >= 0 and text.count(b"(", 0, stop) > text.count(b")", 0, stop):
            stop = text.find(b"{", stop + 1)  # inside of parameters
        head, rest = (text[:stop], text[stop + 1 :]) if stop >= 0 else (text, b"")
        bare, contents = _without_contents(head)
        before = _BEFORE.match(bare)
        return cls(bare, contents, before.end() if before else 0, head, rest)

    @property
    def declarator(self) -> bytes:
        """The declaration, up to its value or what it initializes."""
        return _INITIAL.split(self.bare[self.start :], maxsplit=1)[0]

    def content(self, end: int) -> bytes:
        """Return the contents of the brackets that end there."""
        return self.contents[len(_PAIR.findall(self.bare[:end])) - 1]


def _type(part: _Bare, found: re.Match[bytes]) -> PartHead:
    inside, _, after = part.rest.rpartition(b"}")
    names = {found[3]} if found[3] else set[bytes]()
    names.update(words_of(after), _WITH_VALUE.findall(part.rest))
    names.update(_CONSTANT.findall(inside) if found[1] else ())
    awaited = words_of(part.content(found.end(4))) if found[4] else set[bytes]()
    awaited.update([found[2]] if found[2] else ())
    return PartHead(frozenset(names), frozenset(awaited), True, bool(awaited or found[4]))


def _alias(part: _Bare, found: re.Match[bytes]) -> PartHead:
    pointers = [each[1] for each in map(_POINTER.match, part.contents) if each]
    functions = pointers or (each[1] for each in _FUNCTION.findall(part.bare))
    return PartHead(frozenset(filter(None, (*found.groups(), *functions))), is_type=True)


def _operator(part: _Bare, found: re.Match[bytes]) -> PartHead:
    types = (part.content(found.end()), part.head if found[2] else b"", found[1] or b"")
    return PartHead(frozenset(), frozenset(words_of(b" ".join(types))), is_partial=True)


def _function(part: _Bare, found: re.Match[bytes]) -> PartHead:
    parameters = part.content(found.end())
    special = part.content(found.end(3)) if found[3] else b""
    awaited = words_of(b" ".join((parameters, special, found[1] or b"")))
    pointer = _POINTER.match(parameters)
    names = {pointer[1]} if pointer else {each[1] for each in _FUNCTION.findall(part.declarator)}
    return PartHead(frozenset(names), frozenset(awaited), False, bool(found[1] or found[3]))


def _variables(part: _Bare) -> PartHead:
    found = _VARIABLE.findall(part.bare[part.start :])
    awaited = frozenset(of_class for of_class, _ in found if of_class)
    return PartHead(frozenset(name for _, name in found), awaited, False, bool(awaited))


def _without_contents(text: bytes) -> tuple[bytes, list[bytes]]:
    """Return a text without the contents of its outermost brackets, and the contents."""
    lexed, at = Lexed(text), 0
    pieces, contents = list[bytes](), list[bytes]()
    for mark in lexed.marks:
        stop = lexed.partners.get(mark, -1)
        if at <= mark < stop:
            pieces.append(text[at : mark + 1])
            contents.append(text[mark + 1 : stop])
            at = stop
    return b"".join((*pieces, text[at:])), contents


# -- members by brackets alone ----------------------------------------------------------

#: A directive, which takes its lines, or a block whose members stand for it.
_WHOLE_DIRECTIVE = pattern(rb"#(?:[^\\\n]|\\[\s\S])*")
_NAMESPACE = pattern(rb"""(?:(?:inline\s+)?namespace\b[^;={}]*|extern\s*"C(?:\+\+)?"\s*)(?=\{)""")
_BLANK = pattern(rb"\s*")
#: What follows a bracket that does not end its member.
_GOES_ON = pattern(rb"\s*(?:[;,=.)*&{(]|\[(?!\[)|:(?!:)|__attribute__\s*\(\([^;{}=]*\)\)\s*;)")
#: What precedes a bracket that does not end its member: a type that may declare names after it.
_TYPE_BEFORE = pattern(
    rb"(?:template\b[^;{}]*>\s*)?(?:\w+\s+)*?(?:struct|union|enum|class)\b[^()=]*\Z"
)
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
        elif directive := _WHOLE_DIRECTIVE.match(data, at, stops[-1]):
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
                _GOES_ON.match(data, partner + 1, stop) or _TYPE_BEFORE.match(data, start, at)
            )
            at, mark = partner, bisect_left(text.marks, partner, mark)
        else:
            is_over = data[at] in _ENDS
        if is_over:
            return at + 1
        mark += 1
    return stop
