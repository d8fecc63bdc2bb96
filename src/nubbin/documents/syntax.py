"""Syntax trees: what a grammar sees in some bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Tree

from nubbin.documents.parse import parse


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
    children: list[Node] = field(default_factory=list, repr=False)

    def sibling(self, step: int) -> Node | None:
        """Return the child of the same parent so many places further on, if there is one."""
        if self.parent is None or not 0 <= self.index + step < len(self.parent.children):
            return None
        return self.parent.children[self.index + step]

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Syntax:
    """Parses the documents of one language. Costs no query.

    A document that is too long to parse, or takes too long, has no nodes and no errors.
    """

    language: str

    def errors(self, data: bytes) -> int:
        """Return how many places of a document do not fit the grammar."""
        parsed = parse(data, self.language)
        return parsed.errors if parsed else 0

    def nodes(self, data: bytes, depth: int | None = None) -> list[Node]:
        """Return the nodes of a parse, parents first, down to a depth; the root has depth 0.

        Linear in the nodes returned, without recursion. Nodes without any bytes are left out.
        """
        parsed = parse(data, self.language)
        return list(self._walk(parsed.raw, depth)) if parsed else []

    def _walk(self, tree: Tree, deepest: int | None) -> Iterator[Node]:
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
            )
            if len(node):
                yield node
                if parent:
                    parent.children.append(node)
                if (deepest is None or node.depth < deepest) and cursor.goto_first_child():
                    above.append(node)
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                above.pop()
