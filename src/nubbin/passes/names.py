"""Give names one letter."""

from __future__ import annotations

import re
import string
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import chain

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.structure import Structure
from nubbin.documents.syntax import Node
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import propose

_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


@dataclass(frozen=True, slots=True)
class Names:
    """Proposes, for each name, to write it everywhere as one letter that is not in use.

    A letter and a digit where there are more names than letters. Without a syntax, every word
    that could be a name is one. With one, names are what the tree says, and a second list has
    those that the tree does not show everywhere (in macros, strings, and what it could not
    read), each with all words that are the same.
    """

    syntax: Structure | None
    name: str = "names"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield one or two proposals with an edit for each name."""
        if self.syntax is None:
            if edits := _shorter(file.data, _words(file.data)):
                yield propose(file, None, edits)
            return
        if edits := _shorter(file.data, _in_tree(self.syntax, file.data)):
            file = yield propose(file, self.syntax, edits)
        shown, words = _in_tree(self.syntax, file.data), _words(file.data)
        hidden = {
            text: words[text] for text in shown if words.get(text, shown[text]) != shown[text]
        }
        if edits := _shorter(file.data, hidden):
            yield propose(file, self.syntax, edits)


#: For each name the places where it stands, in order.
_Places = dict[bytes, list[tuple[int, int]]]


def _words(data: bytes) -> _Places:
    found: _Places = {}
    for word in _NAME.finditer(data):
        found.setdefault(word[0], []).append(word.span())
    return found


def _in_tree(syntax: Structure, data: bytes) -> _Places:
    return {
        text: [(node.start, node.stop) for node in nodes]
        for text, nodes in occurrences(syntax, data).items()
    }


def _shorter(data: bytes, found: _Places) -> list[Edit]:
    """Return an edit for each name that can be shorter; what gains most gets a letter first.

    A capital for what begins with one: in some languages names of another kind do.
    """
    taken = set(_NAME.findall(data))
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    free = {False: _short_names(lower + upper), True: _short_names(upper + lower)}
    edits: list[Edit] = []
    for text in sorted(found, key=lambda text: -(len(text) - 1) * len(found[text])):
        if len(text) > 1:
            new = next((new for new in free[text[:1].isupper()] if new not in taken), text)
            if len(new) < len(text):
                taken.add(new)
                edits.append(tuple(Replacement(start, stop, new) for start, stop in found[text]))
    return edits


def _short_names(letters: str) -> Iterator[bytes]:
    pairs = (letter + digit for letter in letters for digit in string.digits)
    return (name.encode() for name in chain(letters, pairs))


def occurrences(syntax: Structure, data: bytes) -> dict[bytes, list[Node]]:
    """Return for each name in a document the leaves of its tree that are that name."""
    found: dict[bytes, list[Node]] = {}
    for node in syntax.nodes(data):
        if node.named and not node.children:
            text = data[node.start : node.stop]
            if _NAME.fullmatch(text):
                found.setdefault(text, []).append(node)
    return found
