"""Read the heads of parts of a C or C++ program: what each declares, and for which types."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from nubbin.documents.outlines.lexis import Lexed, words_of
from nubbin.passes.headers import DECLARED_IN, without_annotations
from nubbin.pattern import pattern

#: The languages of parts with heads.
HEADED = frozenset({"c", *DECLARED_IN})
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
#: What ends the declarator of a function: its value, or what it initializes.
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
    stop = text.find(b"{")
    while stop >= 0 and text.count(b"(", 0, stop) > text.count(b")", 0, stop):
        stop = text.find(b"{", stop + 1)  # inside of parameters
    head, rest = (text[:stop], text[stop + 1 :]) if stop >= 0 else (text, b"")
    inside, _, after = rest.rpartition(b"}")
    bare, contents = _without_contents(head)
    before = _BEFORE.match(bare)
    start = before.end() if before else 0

    def content(end: int) -> bytes:
        return contents[len(_PAIR.findall(bare[:end])) - 1]

    if found := _TYPE.match(bare, start):
        names = {found[3]} if found[3] else set[bytes]()
        names.update(words_of(after), _WITH_VALUE.findall(rest))
        names.update(_CONSTANT.findall(inside) if found[1] else ())
        awaited = words_of(content(found.end(4))) if found[4] else set[bytes]()
        awaited.update([found[2]] if found[2] else ())
        return PartHead(frozenset(names), frozenset(awaited), True, bool(awaited or found[4]))
    if found := _ALIAS.match(bare, start):
        pointers = [each[1] for each in map(_POINTER.match, contents) if each]
        functions = pointers or (each[1] for each in _FUNCTION.findall(bare))
        return PartHead(frozenset(filter(None, (*found.groups(), *functions))), is_type=True)
    if found := _OPERATOR.search(bare, start):
        of_types = b" ".join((content(found.end()), head if found[2] else b"", found[1] or b""))
        return PartHead(frozenset(), frozenset(words_of(of_types)), is_partial=True)
    function = _INITIAL.split(bare[start:], maxsplit=1)[0]
    if found := _FUNCTION.search(bare, start, start + len(function)):
        parameters = content(found.end())
        special = content(found.end(3)) if found[3] else b""
        awaited = words_of(b" ".join((parameters, special, found[1] or b"")))
        pointer = _POINTER.match(parameters)
        names = {pointer[1]} if pointer else {each[1] for each in _FUNCTION.findall(function)}
        return PartHead(frozenset(names), frozenset(awaited), False, bool(found[1] or found[3]))
    variables = _VARIABLE.findall(bare[start:])
    awaited = {of_class for of_class, _ in variables if of_class}
    return PartHead(
        frozenset(name for _, name in variables), frozenset(awaited), False, bool(awaited)
    )


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
