"""Delete what edits leave behind: imports that nothing uses, empty definitions, empty lines."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.across import FilesEdit, try_across
from nubbin.passes.folders.definitions_across import empty_definitions
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate
from nubbin.passes.words.cut_uses import cut_uses
from nubbin.passes.words.names import occurrences
from nubbin.pattern import pattern

#: Lines with nothing on them, as many as follow one another, from the start of the first.
_EMPTY_LINES: Final = pattern(rb"(?:(?<=\n)|\A)(?:[ \t\f]*\r?\n)+|(?<=\n)[ \t\f]+\Z")
#: The roles of the names of modules in an import.
_OF_MODULES: Final = frozenset({"module_name", "path", "scope", "source"})


def leftovers(document: Document, structures: Mapping[str, Structure]) -> Proposals[Document]:
    """Propose to delete, over all files, what nothing needs by now; and then their empty lines.

    Where what is left is for a person to read, that would be in the way. All of it goes in a
    question or two, in each round, since each may leave some more. What has to stay of the lines is
    part of the proof.
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
    """Yield what deletes each import of a name that is not `used`: that stands nowhere else.

    A statement goes as a whole if that is true of all its names.
    """
    statements = list(_imports(structure.nodes(file.data)))
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


def _imports(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the statements that import, in order; none is inside of another."""
    stop = 0
    for node in nodes:
        if node.start >= stop and node.children and node.kind.startswith("import"):
            yield node
            stop = node.stop


def _is_bound(leaf: Node, statement: Node) -> bool:
    """Tell whether an import makes a name known in the file: not a module's, nor one with an alias.

    Of `import a.b`, this is `a`.
    """
    around = leaf.parent
    if around is not None and around.kind == "dotted_name" and around.start != leaf.start:
        return False
    node: Node | None = leaf
    while node is not None and node.start >= statement.start and node.role != "alias":
        siblings = node.parent.children if node.parent else []
        has_alias = any(each.role == "alias" for each in siblings)
        if node.role in _OF_MODULES or (has_alias and node.kind != statement.kind):
            return False
        node = None if node.parent is statement else node.parent
    return True
