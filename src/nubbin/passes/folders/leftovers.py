"""Delete what other edits leave behind: unused imports, empty definitions, empty lines."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.across import FilesEdit, try_across
from nubbin.passes.folders.definitions_across import empty_definitions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures
from nubbin.passes.words.cut_uses import cut_uses
from nubbin.passes.words.names import occurrences
from nubbin.pattern import pattern

#: Consecutive empty lines, from the start of the first.
_EMPTY_LINES: Final = pattern(rb"(?:(?<=\n)|\A)(?:[ \t\f]*\r?\n)+|(?<=\n)[ \t\f]+\Z")
#: The beginnings of the kinds of import statements.
IMPORTS: Final = ("import", "use_", "preproc_include")
#: The kind of an import of all names of a module, if it has the module's name inside.
_ALL_NAMES: Final = "use_wildcard"
#: The roles of the names of modules in an import.
_OF_MODULES: Final = frozenset({"module_name", "path", "scope", "source"})


def leftovers(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete the unused imports and empty definitions of all files, then empty lines.

    They distract the reader of a reproduction. This runs in each round, because each may leave more
    of them, and mostly takes a query or two. The lines that must be kept are part of the proof.
    """
    edits: list[FilesEdit] = [
        {file.path: edit}
        for file in document.texts
        if file.path in structures
        for edit in unused_imports(file, structures[file.path])
    ]
    if empty := empty_definitions(document, structures, deep=True):
        edits.append(empty)
    document = yield from try_across(document, structures, edits)
    lines: Iterator[FilesEdit] = (
        {file.path: (Replacement(*run.span()),)}
        for file in document.texts
        for run in _EMPTY_LINES.finditer(file.data)
    )
    yield from try_across(document, structures, lines)


def unused_imports(
    file: File, structure: Structure, used: Collection[bytes] | None = None
) -> Iterator[Edit]:
    """Yield an edit for each import statement that deletes its unused names.

    A name is unused if it is not in `used`, or if that is None, nowhere else in the file. If all
    names of a statement are unused, the whole statement is deleted.
    """
    statements = list(_import_statements(structure.nodes(file.data)))
    if not statements:
        return
    leaves, gate = occurrences(structure, file.data), Gate(structure)
    imported: defaultdict[int, list[Node]] = defaultdict(list)
    here = set[bytes]()
    for name, nodes in leaves.items():
        for leaf in nodes:
            at = bisect_right(statements, leaf.start, key=lambda each: each.start) - 1
            if at < 0 or leaf.start >= statements[at].stop:
                here.add(name)
            elif _is_bound(leaf, statements[at]):
                imported[at].append(leaf)
    for at, bound in imported.items():
        statement = statements[at]
        unused = [
            leaf
            for leaf in bound
            if file.data[leaf.start : leaf.stop] not in (here if used is None else used)
        ]
        targets = [statement] if len(unused) == len(bound) else unused
        yield from cut_uses(gate, file.data, [targets] if targets else [], leaves.keys())


def _import_statements(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the outermost import statements, in order."""
    stop = 0
    for node in nodes:
        if node.start >= stop and node.children and node.kind.startswith(IMPORTS):
            yield node
            stop = node.stop


def _is_bound(leaf: Node, statement: Node) -> bool:
    """Tell whether an import statement binds a name in the file.

    `import a.b` binds `a`. An import does not bind the names of modules, nor a name with an alias.
    """
    around = leaf.parent
    if around is not None and around.kind == "dotted_name" and around.start != leaf.start:
        return False
    if around is not None and around.kind == _ALL_NAMES:
        return False
    node: Node | None = leaf
    while node is not None and node.start >= statement.start and node.role != "alias":
        siblings = node.parent.children if node.parent else []
        has_alias = any(each.role == "alias" for each in siblings)
        if node.role in _OF_MODULES or (has_alias and node.kind != statement.kind):
            return False
        node = None if node.parent is statement else node.parent
    return True
