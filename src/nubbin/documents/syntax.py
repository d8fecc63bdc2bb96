"""Syntax trees: what a grammar sees in some bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Parser, Query, QueryCursor, Tree

from nubbin.documents.grammars import grammar

#: More than this is not parsed: a tree takes some fifty times the memory of its text.
LARGEST = 16 << 20


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


class Syntax:
    """Parses the documents of one language. Costs no query."""

    def __init__(self, language: str):
        loaded = grammar(language)
        if loaded is None:
            raise LookupError(f"no grammar for {language} is installed")
        self.language = language
        self._grammar = loaded
        self._parser = Parser(loaded)

    @cached_property
    def _faults(self) -> Query:
        return Query(self._grammar, "[(ERROR) (MISSING)] @fault")

    def errors(self, data: bytes) -> int:
        """Return how many faults a parse finds: tokens that do not fit, tokens that lack."""
        root = self._parse(data).root_node
        if not root.has_error:
            return 0
        return len(QueryCursor(self._faults).captures(root).get("fault", ()))

    def nodes(self, data: bytes, depth: int | None = None) -> list[Node]:
        """Return the nodes of a parse, parents first, down to a depth; the root has depth 0.

        Linear in the nodes returned, without recursion. Nodes without any bytes are left out.
        """
        return list(self._walk(self._parse(data), depth))

    def _parse(self, data: bytes) -> Tree:
        return self._parser.parse(data)

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
