"""Give names one letter."""

from __future__ import annotations

import re
import string
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.spans import Span
from nubbin.documents.syntax import Node, Syntax
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import propose

_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Names:
    """Proposes, for each name, to write it everywhere as one letter that is not in use.

    Without a syntax, every word that could be a name is one.
    """

    syntax: Syntax | None
    name: str = "names"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one proposal with an edit for each name, while letters last."""
        data = file.data
        taken = set(_NAME.findall(data))
        letters = (c.encode() for c in string.ascii_letters if c.encode() not in taken)
        edits: list[Edit] = []
        for places in self._longest_first(data):
            letter = next(letters, None)
            if letter is None:
                break
            edits.append(tuple(Span(start, stop, letter) for start, stop in places))
        if edits:
            yield propose(file, self.syntax, edits)

    def _longest_first(self, data: bytes) -> Iterator[list[tuple[int, int]]]:
        found: dict[bytes, list[tuple[int, int]]] = {}
        if self.syntax is None:
            for word in _NAME.finditer(data):
                found.setdefault(word[0], []).append(word.span())
        else:
            for text, nodes in occurrences(self.syntax, data).items():
                found[text] = [(node.start, node.stop) for node in nodes]
        for text in sorted(found, key=lambda text: -(len(text) - 1) * len(found[text])):
            if len(text) > 1:
                yield found[text]


def occurrences(syntax: Syntax, data: bytes) -> dict[bytes, list[Node]]:
    """Return for each name in a document the leaves of its tree that are that name."""
    found: dict[bytes, list[Node]] = {}
    for node in syntax.nodes(data):
        if node.named and not node.children:
            text = data[node.start : node.stop]
            if _NAME.fullmatch(text):
                found.setdefault(text, []).append(node)
    return found
