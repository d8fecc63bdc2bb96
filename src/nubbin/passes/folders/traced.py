"""Delete what a traced run of the test did not use: files, released sources, and code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import Edit, File, FilesEdit
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import at_once_or_each, deleted, propose_across, together
from nubbin.passes.proposal import Offer, Proposals
from nubbin.passes.syntactic import Structures
from nubbin.pattern import pattern


def untouched(document: Document, trace: Trace, *, one_by_one: bool = True) -> Offer[Document]:
    """Propose to delete at once all files that a trace does not show as opened.

    If the test rejects that, the pass proposes all files that the trace does not show at all; then
    each of these, if wanted `one_by_one`. A container is one file. Most of a project is docs, other
    tests and sources that a single failure never reaches: one query removes them, where a list of
    files takes dozens. Nothing is proposed if the trace has all files or none.
    """
    seen = trace.opened | trace.looked_up
    for used in dict.fromkeys((trace.opened, seen)):
        paths = list(chain(*_others(document, used)))
        if 0 < len(paths) < len(document.files):
            document = yield propose_across(document, {}, [deleted(paths)])
    left = _others(document, seen)
    if one_by_one and 1 < len(left) < len(document.on_disk):
        document = yield propose_across(document, {}, [deleted(held) for held in left])
    return document


def _others(document: Document, used: Collection[str]) -> list[list[str]]:
    return [held for path, held in document.on_disk.items() if path not in used]


_PACKAGE: Final = "__init__.py"
#: A relative import, with the dots that lead to its package.
_RELATIVE: Final = pattern(rb"^[ \t]*from[ \t]+(?P<dots>\.+)(?P<module>\w?)", re.MULTILINE)


def own_package(document: Document, trace: Trace) -> Proposals[Document]:
    """Propose to delete at once all files that a released package contains as well.

    If the failure is the same with the release, the report needs only the remaining files. Tests in
    the package are kept, and their relative imports from it become absolute. Nothing is proposed if
    there is no release, or if no other files would remain.
    """
    own = {file.path for file in document.files if file.path in trace.released}
    if 0 < len(own) < len(document.files):
        edit: FilesEdit = {**deleted(own), **dict(_absolute_imports(document, own))}
        yield propose_across(document, {}, [edit])


def _absolute_imports(document: Document, gone: set[str]) -> Iterator[tuple[str, Edit]]:
    """Yield for each file that is kept the edit that makes imports of deleted packages absolute."""
    packages = {PurePosixPath(path).parent for path in document.data if path.endswith(_PACKAGE)}
    left = {each for each in packages if str(each / _PACKAGE) not in gone}
    for file in document.files:
        if file.path in gone or not file.path.endswith(".py"):
            continue
        above = [*PurePosixPath(file.path).parents]
        depth = next(at for at, each in enumerate(above) if each not in packages)
        reach = next(at for at, each in enumerate(above) if each not in left)
        edits = [
            Replacement(*found.span("dots"), name + b"." * bool(found["module"]))
            for found in _RELATIVE.finditer(file.data)
            if reach < (steps := len(found["dots"])) <= depth
            if (name := ".".join(each.name for each in above[steps - 1 : depth][::-1]).encode())
        ]
        if edits:
            yield file.path, tuple(edits)


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
    document: Document,
    structures: Structures,
    trace: Trace,
    original: Document,
    *,
    one_by_one: bool = True,
) -> Offer[Document]:
    """Propose to delete all code of which no line ran in a trace; then, `one_by_one`, its parts.

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
    found = edits if one_by_one or not edits else [together(edits)]
    return (yield from at_once_or_each(document, structures, found))


def _cuts(file: File, structure: Structure, ran: tuple[int, ...]) -> Iterator[Replacement]:
    """Yield the replacements that remove the code in which no line ran; lines count from 1."""
    ends = [at for at, byte in enumerate(file.data) if byte == 10]

    def runs(node: Node) -> bool:
        first, last = _line(ends, node.start), _line(ends, max(node.start, node.stop - 1))
        return bisect_left(ran, first) < bisect_right(ran, last)

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
