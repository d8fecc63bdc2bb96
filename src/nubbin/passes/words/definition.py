"""What a tree says of names: where they occur and are declared; delete them with references."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import NAME
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.syntactic import Gate, is_separator, with_separator, with_separators
from nubbin.pattern import pattern

#: The role of a definition after its decorators, which cannot be deleted without them.
DECORATED = "definition"
#: The roles that a name, and the nodes around it, have in its definition.
_OF_DEFINED = {"name", "declarator"}
#: The shortest bodies that do nothing, in languages where a body must have a statement, or must
#: return a value or never return.
NOTHING_DONE: Final = {
    "csharp": b"{throw null;}",
    "go": b"{panic(0)}",
    "java": b"{throw null;}",
    "llvm": b"{unreachable}",
    "python": b"...",
    "rust": b"{panic!()}",
    "typescript": b"{throw 0}",
}
#: Bodies that do nothing.
EMPTY_BODIES: Final = frozenset({b"", b"{}", b"pass", *NOTHING_DONE.values()})

#: The roles of names that are declared where they stand.
_DECLARED = {"declarator", "pattern", "alias"}
#: The ends of the kinds of nodes that follow one another in a block.
_STATEMENTS = ("statement", "declaration", "definition", "loop")
#: A name that is a leaf of a tree can include its sigil, and dots.
SIGIL = pattern(rb"[%@](?=[A-Za-z_$.\x80-\xff-])")
_WITH_SIGIL = pattern(SIGIL.pattern + rb"[\w$.\x80-\xff-]+")


def body_of(node: Node) -> Node | None:
    """Return the body of a definition, which may have decorators; None if it has none."""
    node = next((child for child in node.children if child.role == DECORATED), node)
    return next((child for child in node.children if child.role == "body"), None)


def name_of(node: Node) -> Node | None:
    """Return the leaf with the name of a definition; None if the node has no name or body."""
    leaf, below = node, None if body_of(node) is None else node
    while below is not None:
        leaf = below
        below = next((child for child in leaf.children if child.role in _OF_DEFINED), None)
    return None if leaf is node else leaf


def defined_by(leaf: Node) -> Node:
    """Return the definition that a leaf names, or the leaf itself."""
    while leaf.role in _OF_DEFINED and leaf.parent is not None:
        leaf = leaf.parent
    return leaf


def leaving_one(
    nodes: Iterable[Node], block_of: Callable[[Node], Node | None]
) -> Iterator[list[Node]]:
    """Yield the nodes of each block; of a block that would become empty, all but the first."""
    blocks: dict[tuple[int, int], tuple[Node, list[Node]]] = {}
    for node in nodes:
        block = block_of(node) or node
        blocks.setdefault((block.start, block.stop), (block, []))[1].append(node)
    for block, inside in blocks.values():
        members = sum(each.named for each in block.children)
        yield inside[block.parent is not None and members <= len(inside) :]


def is_declared(leaf: Node) -> bool:
    """Tell whether a leaf declares its name for the block around it."""
    around = leaf.parent.kind if leaf.parent else ""
    if leaf.role in {None, "name"}:
        return around.endswith("declarator")
    return leaf.role in _DECLARED or (leaf.role == "left" and "assignment" in around)


def _scope_of(leaf: Node) -> Node:
    """Return the scope of a declared name: the block around the statement that declares it.

    The scope of a parameter is the statement itself; without a statement, it is the whole file.
    """
    is_parameter = False
    for node in leaf.outward():
        is_parameter = is_parameter or "parameter" in node.kind
        if node.parent is None:
            break
        if node.kind.endswith(_STATEMENTS) and "parameter" not in node.kind:
            return node if is_parameter else node.parent
    return node


def occurrences(structure: Structure, data: bytes) -> dict[bytes, list[Node]]:
    """Return the leaves of a tree that are names, by name."""
    found: dict[bytes, list[Node]] = {}
    for node in structure.nodes(data):
        if node.named and not node.children:
            text = data[node.start : node.stop]
            if NAME.fullmatch(text) or _WITH_SIGIL.fullmatch(text):
                found.setdefault(text, []).append(node)
    return found


def find_words(data: bytes, word: re.Pattern[bytes] = NAME) -> dict[bytes, list[Span]]:
    """Return the spans of each word, by default of each that could be a name."""
    found: dict[bytes, list[Span]] = {}
    for each in word.finditer(data):
        found.setdefault(each[0], []).append(each.span())
    return found


#: Replacements of a statement that must exist: the body of a loop or a condition.
_NO_STATEMENT = (b";", b"pass")
#: The kinds of the name of a member, in its declaration and after a dot.
_MEMBERS = {"field_identifier", "property_identifier"}
_DOTS = (b".", b"->")


def cut_uses(
    gate: Gate,
    data: bytes,
    targets: Iterable[Sequence[Node]],
    declared_elsewhere: Collection[bytes],
) -> list[Edit]:
    """Return the edit of `Names.cut` for each target that has one, each edit once."""
    names = Names(gate, data, declared_elsewhere)
    return list(dict.fromkeys(filter(None, map(names.cut, targets))))


def deletable_around(gate: Gate, data: bytes, node: Node) -> Node | None:
    """Return the smallest deletable node around a node, or the node itself, if there is one.

    A statement or an element of a list is preferred to a smaller node that is neither: the import,
    and not only the module in it.
    """
    smallest = None
    for around in node.outward():
        if around.parent is None:
            break
        if _placeholder(gate, data, around):
            return around
        if around.role != DECORATED and gate.may_delete(data, around):
            span = with_separator(around)
            fills_parent = span.stop - span.start == len(around.parent)
            if _is_removable_alone(around) and not (fills_parent and around.parent.parent):
                return around
            smallest = smallest or around
    return smallest


def _placeholder(gate: Gate, data: bytes, node: Node) -> bytes | None:
    """Return a replacement of the body of a loop or a condition; None if a node is no such body.

    If it were deleted, the next statement would become the body.
    """
    around = node.parent.kind if node.parent else ""
    if node.role and node.kind.endswith("statement") and around.endswith(("statement", "loop")):
        return gate.shorter(data, node, _NO_STATEMENT)
    return None


def _is_removable_alone(node: Node) -> bool:
    if node.depth == 1 or node.kind.endswith(_STATEMENTS):
        return True
    if is_separator(node.sibling(-1)) or is_separator(node.sibling(1)):
        return True
    siblings = node.parent.children if node.parent else []
    return any(each.kind == node.kind for each in siblings if each is not node)


class Names:
    """The names of a file, each with its leaves. The file may use names `declared_elsewhere`."""

    def __init__(self, gate: Gate, data: bytes, declared_elsewhere: Collection[bytes]):
        self._gate, self._data, self._elsewhere = gate, data, declared_elsewhere
        self._leaves = occurrences(gate.structure, data)
        #: By the start and the stop of a node.
        self._elements: dict[tuple[int, int], Node | None] = {}

    def cut(self, target: Sequence[Node]) -> Edit:
        """Return the edit that deletes the elements around nodes, with references; () if none.

        A target is a file, or a declaration to delete; its nodes refer to it. The references to an
        element are the nodes that name what it declares. With an import, the edit deletes all that
        uses the imported name, and all that uses variables declared there. A name whose role says
        that it is declared is visible in the block around it; the name of a member also after dots.
        Any other name that is not declared elsewhere is declared by its first occurrence in the
        file. The edit is empty if a node of the target cannot be deleted. Costs no query; linear in
        the file and in the edits.
        """
        gone: dict[tuple[int, int], Node] = {}
        remaining = list(target)
        while remaining:
            node = remaining.pop()
            if any((around.start, around.stop) in gone for around in node.outward()):
                continue
            element = self._element(node)
            if element is None:
                return ()
            gone[element.start, element.stop] = element
            remaining += self._references(element)
        instead = {span: _placeholder(self._gate, self._data, node) for span, node in gone.items()}
        deleted = [node for span, node in gone.items() if instead[span] is None]
        replaced = [Replacement(*span, text) for span, text in instead.items() if text is not None]
        return tuple(sorted({*with_separators(deleted), *replaced}))

    def _element(self, node: Node) -> Node | None:
        span = node.start, node.stop
        if span not in self._elements:
            self._elements[span] = deletable_around(self._gate, self._data, node)
        return self._elements[span]

    def _references(self, element: Node) -> Iterator[Node]:
        """Yield the leaves that refer to what an element declares.

        A name after a dot is a member of what is before it: it refers only to declarations of
        members, wherever these are.
        """
        for leaf in element.walk():
            name = self._data[leaf.start : leaf.stop]
            same = self._leaves.get(name, ())
            if leaf.children or not leaf.named or not same:
                continue
            is_member = leaf.kind in _MEMBERS
            if is_declared(leaf) or (is_member and leaf.role == "name"):
                yield from self._undotted(_leaves_in(_scope_of(leaf), same))
                yield from (each for each in same if is_member and each.kind in _MEMBERS)
            elif same[0].start == leaf.start and leaf.role in {None, "name"}:
                yield from () if name in self._elsewhere else self._undotted(same)

    def _undotted(self, leaves: Iterable[Node]) -> Iterator[Node]:
        return (leaf for leaf in leaves if not self._data.endswith(_DOTS, 0, leaf.start))


def _leaves_in(around: Node, leaves: Sequence[Node]) -> Sequence[Node]:
    """Return those of some ordered leaves that are in a node; fast, for thousands of blocks."""
    first = bisect_left(leaves, around.start, key=lambda leaf: leaf.start)
    return leaves[first : bisect_left(leaves, around.stop, key=lambda leaf: leaf.start)]
