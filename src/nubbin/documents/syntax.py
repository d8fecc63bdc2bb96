"""Syntax trees: what a grammar sees in some bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from tree_sitter import Tree

from nubbin.documents.parse import Parse, parse
from nubbin.documents.spans import Span

#: Nodes take some 300 bytes each; and for every level, passes parse a deep tree a few times.
_MOST_NODES = 1_000_000
_MOST_LEVELS = 2000

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
        self._parsed: OrderedDict[bytes, Parse | None] = OrderedDict()
        self._listed: tuple[bytes | None, list[Node]] = (None, [])

    def reads(self, data: bytes) -> bool:
        """Tell whether a document has a tree that passes can climb."""
        return self._parse(data) is not None

    def fits(self, data: bytes) -> bool:
        """Tell whether a document has such a tree, and the language seems to be its own."""
        parsed = self._parse(data)
        return parsed is not None and parsed.fits

    def errors(self, data: bytes) -> int:
        """Return how many places of a document do not fit the grammar."""
        parsed = self._parse(data)
        return parsed.errors if parsed else 0

    def admits(self, data: bytes, edited: bytes, spans: Sequence[Span]) -> bool:
        """Tell whether a document with these spans replaced has at most the errors it had.

        What was left as it was is not parsed again; the answer depends on nothing but what is
        given. What the parser gives up on is admitted.
        """
        before = self._parse(data)
        after = before and before.edited(edited, spans)
        return before is None or after is None or after.errors <= before.errors

    def nodes(self, data: bytes, depth: float = inf, smallest: int = 0) -> list[Node]:
        """Return the nodes of a parse, parents first, down to a depth; the root has depth 0.

        The inside of nodes under `smallest` bytes is left out, and so are nodes without any.
        Linear in the nodes returned, without recursion.
        """
        parsed = self._parse(data)
        if parsed is None:
            return []
        if depth < inf or smallest:
            return list(_walk(parsed.raw, depth, smallest))
        if self._listed[0] != data:
            self._listed = data, list(_walk(parsed.raw, inf, 0))
        return self._listed[1]

    def _parse(self, data: bytes) -> Parse | None:
        if data not in self._parsed:
            parsed = parse(data, self.language)
            if parsed and (parsed.size > _MOST_NODES or parsed.depth > _MOST_LEVELS):
                parsed = None
            self._parsed[data] = parsed
            while len(self._parsed) > 1 and sum(map(len, self._parsed)) > _KEPT:
                self._parsed.popitem(last=False)
        self._parsed.move_to_end(data)
        return self._parsed[data]


def _walk(tree: Tree, deepest: float, smallest: int) -> Iterator[Node]:
    cursor = tree.walk()
    above: list[Node | None] = [None]
    while True:
        seen, parent = cursor.node, above[-1]
        assert seen is not None
        index = len(parent.children) if parent else 0
        node = Node(
            seen.start_byte,
            seen.end_byte,
            seen.type,
            seen.is_named,
            len(above) - 1,
            parent,
            index,
            cursor.field_name,
        )
        if len(node):
            yield node
            if parent:
                parent.children.append(node)
            if node.depth < deepest and len(node) >= smallest and cursor.goto_first_child():
                above.append(node)
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above.pop()
