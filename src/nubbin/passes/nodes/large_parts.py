"""Delete the largest nodes of all files, the largest first."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.passes.folders.each_file import joint
from nubbin.passes.nodes.subtrees import MIN_SUBTREE_FRACTION, deletions, large_nodes
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate

#: Lists of fewer elements are left to levels.
_MIN_ELEMENTS = 16


def large_parts(document: Document, structures: Mapping[str, Structure]) -> Proposals[Document]:
    """Propose what `subtrees` does, with sizes measured by the whole document.

    Most nodes that are large for their file are small for a folder, and among few that are about
    the same no run can grow. They are left to levels, which hold those of all files.
    """
    whole = largest = document.extent
    while largest > whole * MIN_SUBTREE_FRACTION:
        found = {
            file.path: large_nodes(file, Gate(structures[file.path]), largest)
            for file in document.texts
            if len(file.data) > largest // 2
        }
        document = yield from _deletions(document, structures, found)
        largest //= 2


def long_lists(document: Document, structures: Mapping[str, Structure]) -> Proposals[Document]:
    """Propose to delete the elements of nodes that have many and are a real share of the document.

    In a long list runs can grow, and no level above it has to be finished first. All such nodes
    of all files are one list.
    """
    smallest = int(document.extent * MIN_SUBTREE_FRACTION)
    found = {
        file.path: list(_elements(structures[file.path], file, smallest)) for file in document.texts
    }
    yield from _deletions(document, structures, found)


def _deletions(
    document: Document, structures: Mapping[str, Structure], found: Mapping[str, Sequence[Node]]
) -> Generator[Proposal[Document], Document, Document]:
    """Propose to delete nodes of files as one list, if there are any; return what came out."""
    proposals = {
        file.path: deletions(file, structures[file.path], nodes)
        for file in document.texts
        if (nodes := found.get(file.path))
    }
    return (yield joint(document, proposals)) if proposals else document


def _elements(structure: Structure, file: File, smallest: int) -> Iterator[Node]:
    for node in structure.nodes(file.data):
        elements = [child for child in node.children if child.named]
        if node.parent and len(node) >= smallest and len(elements) >= _MIN_ELEMENTS:
            yield from elements
