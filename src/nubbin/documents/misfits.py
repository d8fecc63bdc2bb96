"""Misfits: the nodes of a syntax tree that stand for errors."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter


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
