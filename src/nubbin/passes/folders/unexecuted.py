"""Delete the code that a run of the test did not execute."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.documents.trace import Trace
from nubbin.passes.folders.across import FilesEdit, at_once_or_each
from nubbin.passes.proposal import Proposals

#: What replaces a body that does not run, by the language and the kind of the node.
_EMPTY: Final = {
    ("python", "block"): b"...",
    ("javascript", "statement_block"): b"{}",
    ("typescript", "statement_block"): b"{}",
    ("tsx", "statement_block"): b"{}",
}
#: Clauses that can be removed if they do not run.
_CLAUSES: Final = frozenset({"elif_clause", "else_clause"})
#: Nodes whose children are statements.
_SEQUENCES: Final = frozenset({"block", "module", "program", "statement_block"})
#: Statements that are needed without being executed.
_DECLARING: Final = frozenset(
    {
        *("global_statement", "nonlocal_statement", "future_import_statement"),
        *("function_declaration", "generator_function_declaration", "case_clause"),
    }
)


def unexecuted(
    document: Document, structures: Mapping[str, Structure], trace: Trace, original: Document
) -> Proposals[Document]:
    """Propose to delete all code of which no line ran in a trace, or else each part of it.

    Bodies become empty, statements are removed. The trace numbers the lines of the `original`, so
    only files that are unchanged since are edited.
    """
    at_first = original.data
    edits: list[FilesEdit] = [
        {file.path: (edit,)}
        for file in document.texts
        if file.path in trace.ran and at_first.get(file.path) == file.data
        for edit in _cuts(file, structures[file.path], trace.ran[file.path])
    ]
    yield from at_once_or_each(document, structures, edits)


def _cuts(file: File, structure: Structure, ran: tuple[int, ...]) -> Iterator[Replacement]:
    """Yield the replacements that remove the code in which no line ran; lines count from 1."""
    lines = file.data.count(b"\n") + 1
    flags = [0] * (lines + 1)
    for line in ran:
        if line <= lines:
            flags[line] = 1
    before = list(accumulate(flags))  # how many lines ran up to this one
    ends = [at for at, byte in enumerate(file.data) if byte == 10]

    def runs(node: Node) -> bool:
        first, last = _line(ends, node.start), _line(ends, max(node.start, node.stop - 1))
        return before[last] > before[first - 1]

    nodes = structure.nodes(file.data)[:1]
    while nodes:
        for child in nodes.pop().children:
            text = _EMPTY.get((structure.language, child.kind)) if _is_body(child) else None
            if runs(child):
                nodes.append(child)
            elif text is not None:
                if len(child) > len(text):
                    yield Replacement(child.start, child.stop, text)
            elif _can_go(child):
                yield Replacement(child.start, child.stop)
            else:
                nodes.append(child)


def _line(ends: list[int], offset: int) -> int:
    return bisect_left(ends, offset) + 1


def _is_body(node: Node) -> bool:
    """Tell whether a node can hold any statement; the block of a `match` holds cases."""
    return node.parent is None or node.parent.kind != "match_statement"


def _can_go(node: Node) -> bool:
    """Tell whether a node that does not run is a statement or clause that can be removed."""
    if node.kind in _CLAUSES:
        return True
    in_sequence = node.parent is not None and node.parent.kind in _SEQUENCES
    return in_sequence and node.named and node.kind not in _DECLARING and not _only_annotates(node)


def _only_annotates(node: Node) -> bool:
    """Tell whether a statement only declares the type of a name."""
    roles = [part.role for part in node.walk()]
    return "type" in roles and "right" not in roles
