"""Delete what files have for readers alone: comments, and texts that document code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.across import FilesEdit, at_once_or_each
from nubbin.passes.proposal import Proposals

#: A smaller share of a folder is not worth a question of its own.
_MIN_FRACTION = 1 / 32
#: To parse a larger folder takes long: there, whole files go first.
MAX_BYTES = 1 << 21
#: The kinds of comments in the grammars of most languages.
_COMMENTS = ("comment", "doc_comment", "line_comment", "block_comment")


def for_readers(document: Document, structures: Mapping[str, Structure]) -> Proposals[Document]:
    """Propose to delete all comments of a folder at once, and if that fails, those of each file.

    Among them are texts that stand in a body as statements. In the sources of many projects they
    are a third of the bytes, in thousands of parts that the levels of the trees would ask about.
    Nothing is proposed if comments are few, or the folder is large.
    """
    if document.extent > MAX_BYTES:
        return
    edits: list[FilesEdit] = [
        {file.path: edit}
        for file in document.texts
        if (edit := _comments(structures[file.path], file))
    ]
    spans = [span for each in edits for edit in each.values() for span in edit or ()]
    if sum(span.stop - span.start for span in spans) >= _MIN_FRACTION * document.extent:
        yield from at_once_or_each(document, structures, edits)


def _comments(structure: Structure, file: File) -> Edit:
    nodes = structure.nodes(file.data)
    return tuple(Replacement(node.start, node.stop) for node in _outermost(nodes))


def _outermost(nodes: list[Node]) -> Iterator[Node]:
    """Yield what is for readers, but the only statement of a body."""
    stop = 0
    for node in nodes:
        if node.start >= stop and node.parent is not None and is_for_readers(node):
            others = (each for each in node.parent.children if each.named)
            if node.kind in _COMMENTS or not all(map(is_for_readers, others)):
                stop = node.stop
                yield node


def is_for_readers(member: Node) -> bool:
    """Tell whether a node is for a reader alone: a comment, or a text that is a statement."""
    texts = [each.kind for each in member.children if each.named]
    is_text = member.kind == "expression_statement" and texts == ["string"]
    is_statement = member.parent is not None and member.parent.kind in {"block", "module"}
    return is_text or member.kind in _COMMENTS or (member.kind == "string" and is_statement)
