"""Delete comments, and strings that only document code."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.document import Document
from nubbin.documents.edits import gain
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.each_file import FilesEdit, at_once_or_each
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Structures

#: A smaller share of a document is not worth a query of its own.
_MIN_FRACTION = 1 / 32
#: A larger document takes long to parse, so whole files or parts are removed first.
MAX_BYTES = 1 << 21
#: The kinds of comments in the grammars of most languages.
_COMMENTS = ("comment", "doc_comment", "line_comment", "block_comment")


def for_readers(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete all comments at once, or else those of each file.

    They include strings that are statements of a body. In many projects they are a third of the
    bytes, in thousands of parts that the passes over tree levels would try one by one. Nothing is
    proposed if comments are few, or the document is large.
    """
    if document.extent > MAX_BYTES:
        return
    edits: list[FilesEdit] = [
        {file.path: tuple(Replacement(node.start, node.stop) for node in nodes)}
        for file in document.texts
        if structures[file.path].language
        if (nodes := list(_outermost(structures[file.path].nodes(file.data))))
    ]
    if (
        sum(gain(edit or ()) for each in edits for edit in each.values())
        >= _MIN_FRACTION * document.extent
    ):
        yield from at_once_or_each(document, structures, edits)


def _outermost(nodes: list[Node]) -> Iterator[Node]:
    """Yield the outermost nodes for readers, except the only statement of a body."""
    stop = 0
    for node in nodes:
        if node.start >= stop and node.parent is not None and is_for_readers(node):
            others = (each for each in node.parent.children if each.named)
            if node.kind in _COMMENTS or not all(map(is_for_readers, others)):
                stop = node.stop
                yield node


def is_for_readers(member: Node) -> bool:
    """Tell whether a node is only for readers: a comment, or a string that is a statement."""
    texts = [each.kind for each in member.children if each.named]
    is_text = member.kind == "expression_statement" and texts == ["string"]
    is_statement = member.parent is not None and member.parent.kind in {"block", "module"}
    return is_text or member.kind in _COMMENTS or (member.kind == "string" and is_statement)
