"""Delete references together with all that needs them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence

from nubbin.documents.edits import Edit
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.passes.syntactic import Gate, is_separator, with_separator, with_separators
from nubbin.passes.words.definition import DECORATED, STATEMENTS, is_declared, occurrences, scope_of

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
            if _is_element(around) and not _fills(around, around.parent):
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


def _is_element(node: Node) -> bool:
    if node.depth == 1 or node.kind.endswith(STATEMENTS):
        return True
    if is_separator(node.sibling(-1)) or is_separator(node.sibling(1)):
        return True
    siblings = node.parent.children if node.parent else []
    return any(each.kind == node.kind for each in siblings if each is not node)


def _fills(node: Node, around: Node) -> bool:
    span = with_separator(node)
    return around.parent is not None and span.stop - span.start == len(around)


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
            if _is_removed(node, gone):
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
            same = self._leaves.get(self._data[leaf.start : leaf.stop], ())
            if leaf.children or not leaf.named or not same:
                continue
            is_member = leaf.kind in _MEMBERS
            if is_declared(leaf) or (is_member and leaf.role == "name"):
                block = scope_of(leaf)
                yield from (
                    each
                    for each in (same if is_member else _leaves_in(block, same))
                    if (is_member and each.kind in _MEMBERS)
                    or (_lies_in(each, block) and not self._dotted(each))
                )
            elif self._comes_first(leaf, same):
                yield from (each for each in same if not self._dotted(each))

    def _comes_first(self, leaf: Node, same: Sequence[Node]) -> bool:
        """Tell whether a leaf is the first occurrence of a name, and may declare it."""
        name = self._data[leaf.start : leaf.stop]
        return (
            same[0].start == leaf.start
            and leaf.role in {None, "name"}
            and name not in self._elsewhere
        )

    def _dotted(self, leaf: Node) -> bool:
        return self._data.endswith(_DOTS, 0, leaf.start)


def _leaves_in(around: Node, leaves: Sequence[Node]) -> Sequence[Node]:
    """Return those of some ordered leaves that are in a node; fast, for thousands of blocks."""
    first = bisect_left(leaves, around.start, key=lambda leaf: leaf.start)
    return leaves[first : bisect_left(leaves, around.stop, key=lambda leaf: leaf.start)]


def _lies_in(node: Node, around: Node) -> bool:
    return around.start <= node.start and node.stop <= around.stop


def _is_removed(node: Node, gone: Collection[tuple[int, int]]) -> bool:
    return any((around.start, around.stop) in gone for around in node.outward())
