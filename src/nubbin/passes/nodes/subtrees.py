"""Delete the nodes of syntax trees: the largest first, then level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, members
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.documents.splice import Mask
from nubbin.passes.folders.each_file import joint
from nubbin.passes.proposal import Proposal, Proposals, Spans
from nubbin.passes.syntactic import Gate, Structures, is_separator, propose
from nubbin_core.minimizers.subset import Subset

#: Smaller nodes, as a share of the document, are left to other passes.
_MIN_SUBTREE_FRACTION = 1 / 32
#: Lists of fewer elements are left to levels.
_MIN_ELEMENTS = 16


def subtrees(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete nodes, size by size: those over half the document, over a quarter, ...

    The heaviest nodes come first, wherever they are (Pardis, Gharachorlu and Sumner, 2019), so the
    nodes of a list have about the same weight. The lists have only large nodes that the grammar
    allows to delete. They cost few queries, which often remove most of the document.
    """
    whole = largest = len(file.data)
    while largest > whole * _MIN_SUBTREE_FRACTION:
        file = yield deletions(file, gate.structure, _large_nodes(file, gate, largest))
        largest //= 2


def _large_nodes(file: File, gate: Gate, largest: int) -> list[Node]:
    """Return the nodes that can be deleted and are larger than half of `largest`, but no larger."""
    # This asks for the same nodes at every size, so that they are made once.
    smallest = min(int(_MIN_SUBTREE_FRACTION * len(file.data)), largest) // 2 + 1
    return [
        node
        for node in gate.structure.nodes(file.data, smallest=smallest)
        if node.named and largest // 2 < len(node) <= largest and node.parent
        if gate.may_delete(file.data, node)
    ]


def deletions(file: File, structure: Structure, items: Sequence[Node]) -> Proposal[File]:
    """Return a proposal to delete nodes, with the separators that the lists around them lose.

    An element is deleted with the separator before it. The separator after it is deleted if all
    elements before it are: an edit of its own, which follows from the subset that is kept.
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
    in_order, begin, end = (np.array(x, dtype=np.int64) for x in (leading, first, last))

    def applied(kept: Subset) -> Mask:
        keeps = np.zeros(len(items), dtype=bool)
        keeps[members(kept)] = True
        before = np.concatenate(([0], np.cumsum(keeps[in_order])))
        opened = before[begin] == before[end]
        return np.concatenate((~keeps, opened))

    def texts() -> list[bytes]:
        return [file.data[node.start : node.stop] for node in items]

    made = propose(file, structure, [*edits, *openings], applied=applied)

    def spans() -> list[Spans]:
        ((path, *columns),) = made.spans()
        own = columns[0] < len(items)
        return [Spans(path, *(column[own] for column in columns))]

    size = len(items)
    return replace(made, size=size, weights=made.weights[:size], texts=texts, spans=spans)


def large_parts(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose what `subtrees` does, with sizes measured by the whole document.

    Most nodes that are large in their file are small in the folder. Lists of a few such nodes leave
    no room for long runs, so they are left to levels, whose lists have the nodes of all files.
    """
    whole = largest = document.extent
    while largest > whole * _MIN_SUBTREE_FRACTION:
        found = {
            file.path: _large_nodes(file, Gate(structures[file.path]), largest)
            for file in document.texts
            if len(file.data) > largest // 2
        }
        document = yield _in_all(document, structures, found)
        largest //= 2


def long_lists(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete the elements of nodes with many elements and a large share of the document.

    Long runs can be removed from a long list, before the levels above it are finished. The elements
    of all such nodes in all files are one list.
    """
    smallest = int(document.extent * _MIN_SUBTREE_FRACTION)
    found = {
        file.path: list(_elements(structures[file.path], file, smallest)) for file in document.texts
    }
    yield _in_all(document, structures, found)


def _in_all(
    document: Document, structures: Structures, found: Mapping[str, Sequence[Node]]
) -> Proposal[Document]:
    """Return one proposal to delete nodes of files."""
    proposals = {
        file.path: deletions(file, structures[file.path], nodes)
        for file in document.texts
        if (nodes := found.get(file.path))
    }
    return joint(document, proposals)


def _elements(structure: Structure, file: File, smallest: int) -> Iterator[Node]:
    for node in structure.nodes(file.data):
        elements = [child for child in node.children if child.named]
        if node.parent and len(node) >= smallest and len(elements) >= _MIN_ELEMENTS:
            yield from elements


#: Passes over levels leave deeper nodes to other passes: each level costs a parse.
MAX_DEPTH = 200


def commands(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the nodes right below the root."""
    items = [node for node in gate.structure.nodes(file.data, 1) if node.parent and node.named]
    yield deletions(file, gate.structure, items)


def levels(file: File, gate: Gate) -> Proposals[File]:
    """Propose to delete the nodes of one depth, from the top of the tree down.

    Hierarchical delta debugging (Misherghi and Su, 2006), with each level as one list: whole
    functions come before statements, and statements before expressions. A list is in the order of
    the document, so that references can be removed before what they refer to. If an edit deletes
    the ends of an element without its contents, these rise by one level. They are then a list of
    their own, before the nodes inside of them.
    """
    depth = 1
    risen: set[bytes] | None = None  # texts that rose to this depth; None before its first list
    while depth < MAX_DEPTH:
        level = [node for node in gate.structure.nodes(file.data, depth + 1) if node.depth == depth]
        if not level:
            return
        named = [node for node in level if node.named]
        if items := [node for node in named if risen is None or _text(file, node) in risen]:
            below = {_text(file, child) for node in level for child in node.children}
            risen = below - {_text(file, node) for node in level}
            file = yield deletions(file, gate.structure, items)
        else:
            depth, risen = depth + 1, None


def _text(file: File, node: Node) -> bytes:
    return file.data[node.start : node.stop]
