"""Read WebAssembly text as words and groups in parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Union

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
