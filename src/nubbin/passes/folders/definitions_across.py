"""Delete definitions with their references in all files, and what other edits leave behind."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File, FilesEdit
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import propose_across
from nubbin.passes.folders.mentions import is_for_readers
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures
from nubbin.passes.words.definition import (
    DECORATED,
    EMPTY_BODIES,
    Names,
    body_of,
    cut_uses,
    defined_by,
    leaving_one,
    occurrences,
)
from nubbin.pattern import pattern


def definitions_across(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose, for each name of something with a body, to delete its definition and its references.

    A function or a class that is not needed often cannot be removed, because a needed file imports
    it. So an edit deletes what names it in any file, such as imports, and what needs that in the
    same file. Names with the fewest references are last, where minimizers begin: most of them can
    be removed.

    Definitions that are empty and have no references come first, all in one query, as long as the
    test accepts that. After a traced run, code that did not run is like that. At first, they
    include definitions that contain only such ones.
    """
    asked, deep = None, True
    while (empty := empty_definitions(document, structures, deep=deep)) and empty != asked:
        came_out = yield propose_across(document, structures, [empty])
        asked, deep = empty, deep and came_out.key != document.key
        document = came_out
    yield propose_across(document, structures, _deletions_of_definitions(document, structures))


def _deletions_of_definitions(document: Document, structures: Structures) -> list[FilesEdit]:
    contents, found = document.data, _names_by_file(document, structures)
    uses: Counter[bytes] = Counter()
    defined: set[bytes] = set()
    for name, nodes in chain(*(names.items() for names in found.values())):
        uses[name] += len(nodes)
        if any(body_of(defined_by(node)) is not None for node in nodes):
            defined.add(name)
    in_order = sorted(defined, key=lambda name: (-uses[name], name))
    edits: dict[bytes, dict[str, Edit]] = {name: {} for name in in_order}
    for path, names in found.items():
        own = Names(Gate(structures[path]), contents[path], names.keys() - defined)
        # In the order of the text: what a gate allows depends on earlier answers.
        for name, nodes in names.items():
            if name in defined and (edit := own.cut(nodes)):
                edits[name][path] = edit
    return [each for each in edits.values() if each]


def empty_definitions(document: Document, structures: Structures, *, deep: bool) -> FilesEdit:
    """Return the edit that deletes all empty definitions without references.

    If `deep`, these include definitions that contain only such ones.
    """
    contents, found = document.data, _names_by_file(document, structures)
    needed = {
        name
        for path, names in found.items()
        for name, nodes in names.items()
        for body in map(body_of, map(defined_by, nodes))
        if not _is_empty(body, contents[path], deep=deep)
    }
    edits: dict[str, Edit] = {}
    for path, names in found.items():
        gone = (node for name, nodes in names.items() if name not in needed for node in nodes)
        left = [*chain(*leaving_one(gone, _block_of))]
        gate, data = Gate(structures[path]), contents[path]
        edits.update((path, edit) for edit in cut_uses(gate, data, [left], names.keys()))
    return edits


def _names_by_file(
    document: Document, structures: Structures
) -> dict[str, dict[bytes, list[Node]]]:
    return {file.path: occurrences(structures[file.path], file.data) for file in document.texts}


def _is_empty(body: Node | None, data: bytes, *, deep: bool) -> bool:
    """Tell whether a body does nothing; if `deep`, it may contain definitions that do nothing."""
    if body is None or data[body.start : body.stop].strip() in EMPTY_BODIES:
        return body is not None
    members = [each for each in body.children if each.named and not is_for_readers(each)]
    if body.children and not members:
        return True
    return deep and all(_is_empty(body_of(each), data, deep=True) for each in members)


def _block_of(leaf: Node) -> Node | None:
    node = defined_by(leaf)
    block = node.parent
    return block.parent if block and block.parent and node.role == DECORATED else block


#: Consecutive empty lines, from the start of the first.
_EMPTY_LINES: Final = pattern(rb"(?:(?<=\n)|\A)(?:[ \t\f]*\r?\n)+|(?<=\n)[ \t\f]+\Z")
#: The beginnings of the kinds of import statements.
_IMPORTS: Final = ("import", "use_", "preproc_include")
#: The kind of a statement that exports, and what it has if it only passes names on.
_EXPORT, _PASSED_ON = "export_statement", frozenset({"export_clause", "namespace_export", "*"})
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
    document = yield propose_across(document, structures, edits)
    lines: Iterator[FilesEdit] = (
        {file.path: (Replacement(*run.span()),)}
        for file in document.texts
        for run in _EMPTY_LINES.finditer(file.data)
    )
    yield propose_across(document, structures, lines)


def unused_imports(
    file: File, structure: Structure, used: Collection[bytes] | None = None
) -> Iterator[Edit]:
    """Yield an edit for each import statement that deletes its unused names.

    A name is unused if it is not in `used`, or if that is None, nowhere else in the file. If all
    names of a statement are unused, the whole statement is deleted. The names of re-exports are
    unused if they are not in `used`.
    """
    statements = list(_import_statements(structure.nodes(file.data), used))
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


def _import_statements(nodes: Iterable[Node], used: Collection[bytes] | None) -> Iterator[Node]:
    stop = 0
    for node in nodes:
        if node.start >= stop and node.children and is_import(node):
            if used is not None or node.kind != _EXPORT:
                yield node
            stop = node.stop


def is_import(node: Node) -> bool:
    """Tell whether a node imports names, or exports those of another place (`export * from`)."""
    passes_on = node.kind == _EXPORT and not _PASSED_ON.isdisjoint(
        each.kind for each in node.children
    )
    return passes_on or node.kind.startswith(_IMPORTS)


def _is_bound(leaf: Node, statement: Node) -> bool:
    """Tell whether an import statement binds a name in the file.

    `import a.b` binds `a`. An import does not bind the names of modules, nor a name with an alias.
    Of a re-export, it is the name that is exported, and not its alias.
    """
    if statement.kind == _EXPORT:
        return leaf.role == "name"
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
