"""Syntax trees: what a grammar sees in some bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from nubbin.documents.parse import Rows
from nubbin.documents.replacement import Replacement
from nubbin.documents.trees import Tree, tree_of

#: The documents parsed last are kept, up to so many bytes in all; a tree takes some 60 for each.
_KEPT = 1 << 20


@dataclass(eq=False, slots=True)
class Node:
    """A node of a syntax tree: bytes `start` to `stop`, of a kind the grammar names.

    `named` is False for the words and marks that stand in the grammar as they are. Nodes know
    their neighbours; they compare by identity.
    """

    start: int
    stop: int
    kind: str
    named: bool
    depth: int
    parent: Node | None = field(repr=False)
    index: int  # among the parent's children
    role: str | None = None  # what the grammar calls it in its parent: "body", "condition", ...
    children: list[Node] = field(default_factory=list, repr=False)

    def sibling(self, step: int) -> Node | None:
        """Return the child of the same parent so many places further on, if there is one."""
        if self.parent is None or not 0 <= self.index + step < len(self.parent.children):
            return None
        return self.parent.children[self.index + step]

    def walk(self) -> Iterator[Node]:
        """Yield the node and all that is inside it, in the order of the text, parents first."""
        below = [self]
        while below:
            node = below.pop()
            yield node
            below += reversed(node.children)

    def __len__(self) -> int:
        return self.stop - self.start


class Syntax:
    """Parses the documents of one language. Costs no query.

    A document that is too long to parse, takes too long, or makes a tree that is too large or
    too deep to climb has no nodes and no errors. What was parsed last is kept: passes ask many
    things of one document, and of edits of it, and look ahead to documents that may come of it.
    """

    def __init__(self, language: str):
        self.language = language
        self._parsed: OrderedDict[bytes, Tree | None] = OrderedDict()
        self._listed: tuple[bytes | None, list[Node]] = (None, [])

    def parses(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can climb."""
        return self._parse(data) is not None

    def is_reliable(self, data: bytes) -> bool:
        """Tell whether a document has such a tree, and the language seems to be its own."""
        parsed = self._parse(data)
        return parsed is not None and parsed.is_reliable

    def allows_edit(self, data: bytes, edited: bytes, spans: Sequence[Replacement]) -> bool:
        """Tell whether a document with these spans replaced has at most the errors it had.

        What was left as it was is not parsed again; the answer depends on nothing but what is
        given. What the parser gives up on is admitted.
        """
        before = self._parse(data)
        return before is None or before.allows_edit(spans)

    def nodes(self, data: bytes, depth: float = inf, smallest: int = 0) -> list[Node]:
        """Return the nodes of a parse, parents first, down to a depth; the root has depth 0.

        The inside of nodes under `smallest` bytes is left out, and so are nodes without any.
        Linear in the nodes returned, without recursion.
        """
        parsed = self._parse(data)
        if parsed is None:
            return []
        if depth < inf or smallest:
            return _nodes(parsed.rows(depth, smallest))
        if self._listed[0] != data:
            self._listed = data, _nodes(parsed.rows())
        return self._listed[1]

    def _parse(self, data: bytes) -> Tree | None:
        if data not in self._parsed:
            self._parsed[data] = tree_of(data, self.language)
            while len(self._parsed) > 1 and sum(map(len, self._parsed)) > _KEPT:
                self._parsed.popitem(last=False)
        self._parsed.move_to_end(data)
        return self._parsed[data]


def _nodes(rows: Rows) -> list[Node]:
    nodes: list[Node] = []
    above: list[Node] = []
    places = iter(rows.places)
    for start, stop, depth, kind in zip(places, places, places, places, strict=True):
        del above[depth:]
        parent = above[-1] if above else None
        index = len(parent.children) if parent else 0
        what, named, role = rows.kinds[kind]
        node = Node(start, stop, what, named, depth, parent, index, role)
        if parent:
            parent.children.append(node)
        nodes.append(node)
        above.append(node)
    return nodes
