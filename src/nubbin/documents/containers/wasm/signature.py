"""Signatures of WebAssembly functions: the types of their parameters and results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from nubbin.documents.containers.wasm.instructions import TYPE_NAMES, TYPES
from nubbin.documents.containers.wasm.leb128 import Reader, sized
from nubbin.documents.containers.wasm.words import Node, headed, words_in


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
