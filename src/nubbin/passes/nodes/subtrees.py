"""Delete the nodes of a syntax tree, the largest first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nubbin.documents.edits import Edit, Edits, Mask, members
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.proposal import Proposal, Proposals, Spans
from nubbin.passes.syntactic import Gate, changed, is_separator, no_new_errors
from nubbin_core.minimizers.subset import Subset

#: Smaller nodes, in bytes of the document, are left to other passes.
MIN_SUBTREE_FRACTION = 1 / 32


def subtrees(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete nodes, size by size: those over half the document, over a quarter, ...

    The heaviest go first, wherever they stand (Pardis, Gharachorlu and Sumner, 2019), and a list
    has nodes that are worth about the same. It has only nodes that the grammar allows to delete,
    and only large ones: a few queries that often take most of the document.
    """
    whole = largest = len(file.data)
    while largest > whole * MIN_SUBTREE_FRACTION:
        if items := large_nodes(file, gate, largest):
            file = yield deletions(file, gate.structure, items)
        largest //= 2


def large_nodes(file: File, gate: Gate, largest: int) -> list[Node]:
    """Return the nodes that can be deleted, of over half of the largest size and not over it."""
    # The same nodes whatever the size, so that they are made once.
    smallest = min(int(MIN_SUBTREE_FRACTION * len(file.data)), largest) // 2 + 1
    return [
        node
        for node in gate.structure.nodes(file.data, smallest=smallest)
        if node.named and largest // 2 < len(node) <= largest and node.parent
        if gate.may_delete(file.data, node)
    ]


def deletions(file: File, structure: Structure, items: Sequence[Node]) -> Proposal[File]:
    """Return a proposal to delete nodes; separators go as the lists around them shrink.

    The separator before an element goes with it. The separator after it also goes if everything
    before that in its list has gone: an edit of its own, which follows from what is kept.
    """
    at = {id(node): i for i, node in enumerate(items)}
    edits: list[Edit] = []
    leading: list[int] = []  # items at the start of their lists, list by list
    openings: list[Edit] = []  # each deletes the separator after such an item
    first: list[int] = []  # for each opening: the range in `leading` that must be deleted
    last: list[int] = []
    for node in items:
        span = Replacement(node.start, node.stop)
        mark = node.sibling(-1)
        if is_separator(mark):
            edits.append((Replacement(mark.start, mark.stop), span))
            continue
        edits.append((span,))
        begins = len(leading)
        element: Node | None = node
        while element is not None and id(element) in at and is_separator(element.sibling(1)):
            leading.append(at[id(element)])
            separator = element.sibling(1)
            assert separator is not None
            openings.append((Replacement(separator.start, separator.stop),))
            first.append(begins)
            last.append(len(leading))
            element = element.sibling(2)
    made = Edits(file, [*edits, *openings])
    in_order, begin, end = (np.array(x, dtype=np.int64) for x in (leading, first, last))

    def applied(kept: Subset) -> Mask:
        keeps = np.zeros(len(items), dtype=bool)
        keeps[members(kept)] = True
        before = np.concatenate(([0], np.cumsum(keeps[in_order])))
        opened = before[begin] == before[end]
        return np.concatenate((~keeps, opened))

    def render(kept: Subset) -> File:
        return made.apply(applied(kept))

    def is_plausible(kept: Subset, candidate: File) -> bool:
        return no_new_errors(structure, made, applied(kept), candidate)

    def texts() -> list[bytes]:
        return [file.data[node.start : node.stop] for node in items]

    def spans() -> list[Spans]:
        path, *columns = changed(file, made)
        own = made.owners < len(items)
        return [Spans(path, *(column[own] for column in columns))]

    return Proposal(len(items), render, made.weights[: len(items)], is_plausible, texts, spans)


#: Passes that go by depth leave deeper nodes to the others: each level costs a parse.
MAX_DEPTH = 200


def commands(file: File, structure: Structure) -> Proposals[File]:
    """Propose to delete the nodes right below the root."""
    if items := [node for node in structure.nodes(file.data, 1) if node.parent and node.named]:
        yield deletions(file, structure, items)


def levels(file: File, structure: Structure) -> Proposals[File]:
    """Propose to delete the nodes of one depth, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions go before statements, statements before expressions. A level is a list in the
    order of the document, so that uses can go before what they use. Where the ends of an element
    can be deleted without its contents, these rise by one level: they are a list of their own then,
    before what is inside of them.
    """
    depth = 1
    risen: set[bytes] | None = (
        None  # what has come up to this depth; None if nothing of it is asked
    )
    while depth < MAX_DEPTH:
        level = [node for node in structure.nodes(file.data, depth + 1) if node.depth == depth]
        if not level:
            return
        named = [node for node in level if node.named]
        if items := [node for node in named if risen is None or _text(file, node) in risen]:
            below = {_text(file, child) for node in level for child in node.children}
            risen = below - {_text(file, node) for node in level}
            file = yield deletions(file, structure, items)
        else:
            depth, risen = depth + 1, None


def _text(file: File, node: Node) -> bytes:
    return file.data[node.start : node.stop]
