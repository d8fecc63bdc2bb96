"""Delete definitions together with their references in all files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.parsing.syntax import Node
from nubbin.passes.folders.across import FilesEdit, propose_across, try_across
from nubbin.passes.folders.for_readers import is_for_readers
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures
from nubbin.passes.words.cut_uses import DECORATED, cut_each, cut_uses
from nubbin.passes.words.names import occurrences

#: Bodies that do nothing.
_NOTHING = frozenset({b"...", b"pass", b"{}"})
#: The roles that a name, and the nodes around it, have in its definition.
OF_DEFINED = {"name", "declarator"}


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
    yield from try_across(document, structures, _edits(document, structures))


def _edits(document: Document, structures: Structures) -> list[FilesEdit]:
    contents, found = document.data, _names_by_file(document, structures)
    uses: Counter[bytes] = Counter()
    defined: set[bytes] = set()
    for name, nodes in chain(*(names.items() for names in found.values())):
        uses[name] += len(nodes)
        if any(body_of(_defined(node)) is not None for node in nodes):
            defined.add(name)
    in_order = sorted(defined, key=lambda name: (-uses[name], name))
    edits: dict[bytes, dict[str, Edit]] = {name: {} for name in in_order}
    for path, names in found.items():
        gate, data = Gate(structures[path]), contents[path]
        known = names.keys() - defined
        # In the order of the text: what a gate allows depends on earlier answers.
        targets = {name: nodes for name, nodes in names.items() if name in defined}
        cuts = cut_each(gate, data, targets.values(), known)
        for name, edit in zip(targets, cuts, strict=True):
            if edit:
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
        if not all(_is_empty(body_of(_defined(node)), contents[path], deep=deep) for node in nodes)
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
    """Return the names in each file, each with its leaves."""
    return {file.path: occurrences(structures[file.path], file.data) for file in document.texts}


def _defined(leaf: Node) -> Node:
    """Return the definition that a leaf names, or the leaf itself."""
    node = leaf
    while node.role in OF_DEFINED and node.parent is not None:
        node = node.parent
    return node


def body_of(node: Node) -> Node | None:
    """Return the body of a definition, which may have decorators; None if it has none."""
    node = next((child for child in node.children if child.role == DECORATED), node)
    return next((child for child in node.children if child.role == "body"), None)


def _is_empty(body: Node | None, data: bytes, *, deep: bool) -> bool:
    """Tell whether a body does nothing; if `deep`, it may contain definitions that do nothing."""
    if body is None or data[body.start : body.stop].strip() in _NOTHING:
        return body is not None
    members = [each for each in body.children if each.named and not is_for_readers(each)]
    if body.children and not members:
        return True
    return deep and all(_is_empty(body_of(each), data, deep=True) for each in members)


def leaving_one(
    nodes: Iterable[Node], block_of: Callable[[Node], Node | None]
) -> Iterator[list[Node]]:
    """Yield the nodes of each block; of a block that would become empty, all but the first."""
    by_block: defaultdict[tuple[int, int], list[Node]] = defaultdict(list)
    blocks: dict[tuple[int, int], Node] = {}
    for node in nodes:
        block = block_of(node) or node
        blocks[block.start, block.stop] = block
        by_block[block.start, block.stop].append(node)
    for span, inside in by_block.items():
        members = sum(each.named for each in blocks[span].children)
        is_all = blocks[span].parent is not None and members <= len(inside)
        yield inside[is_all:]


def _block_of(leaf: Node) -> Node | None:
    """Return the block around a definition and its decorators."""
    node = _defined(leaf)
    block = node.parent
    return block.parent if block and block.parent and node.role == DECORATED else block
