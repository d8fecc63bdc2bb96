"""Read WebAssembly text as words and groups in parentheses, and the signatures in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import chain
from typing import Final, NamedTuple, Union

from nubbin.documents.containers.wasm.instructions import TYPE_NAMES, TYPES, Reader, sized
from nubbin.pattern import pattern

#: A word, or the contents of parentheses.
Node = Union[str, "Group"]
Group = tuple[Node, ...]

_WORD: Final = pattern(r'"[^"]*"|[()]|[^\s()"]+')
#: Bytes that a string contains as they are: no quotes, brackets and separators.
_PLAIN: Final = pattern(rb"[\w.$:/@ +*=-]", re.ASCII)


def nodes_of(text: bytes) -> list[Node]:
    """Read a text; unpaired parentheses are ignored if they close, and end with it if they open."""
    open_: list[list[Node]] = [[]]
    for word in _WORD.findall(text.decode("latin-1")):
        if word == "(":
            open_.append([])
        elif word != ")":
            open_[-1].append(word)
        elif len(open_) > 1:
            _close(open_)
    while len(open_) > 1:
        _close(open_)
    return open_[0]


def _close(open_: list[list[Node]]) -> None:
    group = tuple(open_.pop())
    open_[-1].append(group)


def is_name(kind: str, word: str) -> bool:
    """Tell whether a word is a name of a kind: its letter, and a number."""
    return word[:1] == kind and word[1:].isdigit()


def words_in(nodes: Sequence[Node]) -> list[str]:
    """Return the words among some nodes."""
    return [each for each in nodes if isinstance(each, str)]


def headed(nodes: Sequence[Node], *heads: str) -> Iterator[Group]:
    """Yield the groups that begin with one of the `heads`."""
    for each in nodes:
        if isinstance(each, tuple) and each and each[0] in heads:
            yield each


def quoted(data: bytes) -> str:
    """Write bytes as a string."""
    return f'"{"".join(chr(x) if _PLAIN.match(bytes([x])) else f"%{x:02x}" for x in data)}"'


def unquoted(word: str) -> bytes:
    """Return the bytes of a string, or of any other word."""
    return re.sub(
        rb"%([0-9a-f]{2})",
        lambda code: bytes.fromhex(code[1].decode()),
        word.strip('"').encode("latin-1", "replace"),
    )


class Signature(NamedTuple):
    """The types of the values that are taken and given, a byte for each."""

    takes: bytes = b""
    gives: bytes = b""

    @classmethod
    def read(cls, reader: Reader) -> Signature:
        """Read a function type; raises ValueError for any other type."""
        if reader.byte() != 0x60:
            raise ValueError("a type that is not of a function")
        return cls(reader.sized(), reader.sized())

    @property
    def written(self) -> bytes:
        """The type as bytes of a module."""
        return b"\x60" + sized(self.takes) + sized(self.gives)

    @property
    def text(self) -> str:
        """The signature as text, after a blank; raises KeyError for types without a name."""
        parts = zip(("param", "result"), self, strict=True)
        return "".join(
            f" ({title} {' '.join(TYPE_NAMES[each] for each in types)})"
            for title, types in parts
            if types
        )


def declared(nodes: Sequence[Node], head: str) -> list[tuple[str, int]]:
    """Return the types that groups with a head declare, each with the name before it, if any."""
    found, name = [], ""
    for word in chain.from_iterable(words_in(each[1:]) for each in headed(nodes, head)):
        if word in TYPES:
            found.append((name, TYPES[word]))
        name = word
    return found


def types_of(nodes: Sequence[Node], head: str) -> bytes:
    """Return the types that groups with a head declare."""
    return bytes(type_ for _, type_ in declared(nodes, head))


def signature_of(nodes: Sequence[Node]) -> Signature:
    """Return the signature that declared parameters and results make."""
    return Signature(types_of(nodes, "param"), types_of(nodes, "result"))


class Section(IntEnum):
    """The sections, in their order: the count of data precedes the code that refers to them."""

    CUSTOM = 0
    TYPE = 1
    IMPORT = 2
    FUNCTION = 3
    TABLE = 4
    MEMORY = 5
    GLOBAL = 6
    EXPORT = 7
    START = 8
    ELEMENT = 9
    DATA_COUNT = 12
    CODE = 10
    DATA = 11
