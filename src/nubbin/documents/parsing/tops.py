"""Judge an edit by the constructs of the top level of a tree around it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import tree_sitter

from nubbin.documents.replacement import Replacement


def misfits(cursor: tree_sitter.TreeCursor) -> Iterator[tree_sitter.Node]:
    """Yield ERROR and MISSING nodes, and nodes that lack a token without a node of its own.

    Starts at the node of a new cursor; visits only nodes with errors inside.
    """
    found = 0
    # For each node above the cursor, the number that had been found on arrival there.
    before: list[int] = []
    while node := cursor.node:
        arrived = found
        if node.is_error or node.is_missing:
            found += 1
            yield node
        if node.has_error and cursor.goto_first_child():
            before.append(arrived)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above = cursor.node
            if before.pop() == found and above is not None:
                found += 1
                yield above


def stray_bytes(misfit: tree_sitter.Node) -> int:
    """Return the number of bytes of an ERROR node that belong to no construct inside it.

    A missing token counts as one byte.
    """
    if not misfit.is_error:
        return 1
    constructs = (part for part in misfit.children if part.child_count or part.is_error)
    return misfit.end_byte - misfit.start_byte - sum(p.end_byte - p.start_byte for p in constructs)


class Part(NamedTuple):
    """Bytes `start` to `stop` - 1 of a document: constructs of the top level, some of them edited.

    Unless the document begins or ends there, the first and the last are not edited, and `first`
    and `last` are their kinds.
    """

    start: int
    stop: int
    errors: int
    first: int | None
    last: int | None
    spans: list[Replacement]

    def is_read_alike(self, alone: tree_sitter.Tree) -> bool:
        """Tell whether the first and the last construct have the same kinds in a tree of the part.

        Some languages read a part of a document differently: PHP reads it as text without `<?php`.
        """
        root = alone.root_node
        kinds = [root.children[at].kind_id for at in (0, -1)] if root.child_count else [None, None]
        return all(
            was in (None, now) for was, now in zip((self.first, self.last), kinds, strict=True)
        )


class Tops:
    """The constructs of the top level of a tree: where each begins, its kind and its errors."""

    def __init__(self, tree: tree_sitter.Tree):
        nodes = [] if tree.root_node.is_error else tree.root_node.children
        self._size = tree.root_node.end_byte
        self._starts = [node.start_byte for node in nodes]
        self._kinds = [node.kind_id for node in nodes]
        self._errors = [
            sum(1 for _ in misfits(node.walk())) if node.has_error else 0 for node in nodes
        ]

    def around(self, spans: Sequence[Replacement]) -> list[Part]:
        """Return the constructs around spans, and one more on each side; spans are in order.

        [] if there are no constructs, because the parser could not read the document.
        """
        ranges: list[tuple[int, int, list[Replacement]]] = []
        for span in spans if self._starts else ():
            first = max(bisect_right(self._starts, span[0]) - 2, 0)
            after = min(bisect_left(self._starts, span[1]) + 1, len(self._starts))
            inside: list[Replacement] = []
            if ranges and first < ranges[-1][1]:
                first, _, inside = ranges.pop()
            inside.append(span)
            ranges.append((first, after, inside))
        return [self._part(*each) for each in ranges]

    def _part(self, first: int, after: int, spans: list[Replacement]) -> Part:
        begins, ends = first == 0, after == len(self._starts)
        return Part(
            0 if begins else self._starts[first],
            self._size if ends else self._starts[after],
            sum(self._errors[first:after]),
            None if begins else self._kinds[first],
            None if ends else self._kinds[after - 1],
            spans,
        )
