"""Put what a name stands for in the name's place, and delete its definition."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.documents.syntax import Node
from nubbin.passes.names import occurrences
from nubbin.passes.proposal import Proposal
from nubbin.passes.syntactic import Gate, propose, with_separator

_CHOICES = 2
#: How far above a use the place is looked for that takes a whole body: a call, its statement.
_LEVELS = 3


@dataclass(frozen=True, slots=True)
class Inline:
    """Proposes, for each name, to delete where it stands first and to write something else later.

    That is a part of what is deleted: the type behind an alias, the value of a variable, the
    body of a function for a call of it. What would make the document longer is not proposed.
    """

    gate: Gate
    name: str = "inlining"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield a proposal for each of a few choices, with an edit for each name."""
        for choice in range(_CHOICES):
            names = occurrences(self.gate.syntax, file.data)
            edits = [
                edit
                for nodes in names.values()
                for edit in islice(self._choices(file.data, nodes), choice, choice + 1)
            ]
            if edits:
                file = yield propose(file, self.gate.syntax, edits)

    def _choices(self, data: bytes, nodes: Sequence[Node]) -> Iterator[Edit]:
        """Yield what can be done to a name, the largest of what it may stand for first."""
        first, *uses = nodes
        definition = self._definition(data, first)
        if definition is None or not uses or uses[0].start < definition.stop:
            return
        for kind, text in _values(data, definition, first):
            found = [self._place(data, use, kind, text) for use in uses]
            places = [place for place in found if place and definition.stop <= place.start]
            gone = with_separator(definition)
            gain = gone.stop - gone.start + sum(len(place) - len(text) for place in places)
            if len(places) == len(uses) and gain > 0:
                yield (gone, *(Replacement(place.start, place.stop, text) for place in places))

    def _definition(self, data: bytes, first: Node) -> Node | None:
        """Return the smallest part round a name that the grammar lets go, more than its name."""
        node: Node | None = first
        while node is not None and node.parent is not None:
            if (node is not first or _is_element(node)) and self.gate.may_delete(data, node):
                return node
            node = node.parent
        return None

    def _place(self, data: bytes, use: Node, kind: str, text: bytes) -> Node | None:
        """Return the smallest part round a use in whose place a text of some kind can stand."""
        node: Node | None = use
        for _ in range(_LEVELS):
            if node is None:
                return None
            if node.kind == kind or self.gate.may_replace(data, node, kind, text):
                return node
            node = node.parent
        return None


def _is_element(node: Node) -> bool:
    """Tell whether a node stands in a list, between marks."""
    return not any(near is not None and near.named for near in (node.sibling(-1), node.sibling(1)))


def _values(data: bytes, definition: Node, name: Node) -> Iterator[tuple[str, bytes]]:
    """Yield the outermost parts of a definition without its name in them, the largest first."""
    found: list[Node] = []
    layer = definition.children
    while layer:
        below: list[Node] = []
        for part in layer:
            if part.start <= name.start and name.stop <= part.stop:
                below += part.children
            elif part.named:
                found.append(part)
        layer = below
    for part in sorted(found, key=len, reverse=True):
        yield part.kind, data[part.start : part.stop]
