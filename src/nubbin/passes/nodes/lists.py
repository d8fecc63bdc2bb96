"""Find the parameters and arguments of each name, whose positions must agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeGuard

from nubbin.documents.parsing.syntax import Node
from nubbin.passes.syntactic import is_separator

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
#: A list is at most so many levels above its name: after a qualified name, before a declaration.
_MAX_LEVELS = 6


class List(NamedTuple):
    """The elements of a list of a name, and whether it is a call as in Lisp: `(f 1 2)`."""

    elements: list[Node]
    is_call: bool = False


def lists_of(name: Sequence[Node]) -> list[list[List]]:
    """Return the lists of a name's occurrences, grouped by their kind of bracket.

    The lists of a name are parameters and arguments right after it, and lists in angle brackets
    before its declaration. A name that was declared with a list also has the rows after another
    word: `insert into t values (1, 2), (3, 4)`. In a text like Lisp, where words follow each other,
    a name is the head of its lists, or has one after its first occurrence: `(define f (x y))`.
    """
    found: defaultdict[str, list[List]] = defaultdict(list)
    for node in name:
        if is_head(node):
            found["("].append(List(elements(node.parent)[1:], is_call=node is not name[0]))
        elif node is name[0] or not _is_side_by_side(node):
            for each in _after_or_before(node):
                found[each.children[0].kind].append(List(elements(each)))
            if found:
                found["("] += [List(elements(row)) for row in _rows(node)]
    return [lists for lists in found.values() if len(lists) > 1]


def elements(brackets: Node | None) -> list[Node]:
    """Return the elements of a list, without its brackets and separators."""
    inside = brackets.children[1:-1] if brackets else []
    return [node for node in inside if not is_separator(node)]


def is_list(node: Node | None) -> TypeGuard[Node]:
    """Tell whether a node begins and ends with brackets of one kind."""
    ends = node.children if node else []
    return len(ends) > 2 and _CLOSING.get(ends[0].kind) == ends[-1].kind


def is_head(node: Node) -> bool:
    """Tell whether a node is the first of several words in brackets, without marks between them."""
    after = node.sibling(1)
    is_first = node.index == 1 and not node.children and is_list(node.parent)
    return is_first and after is not None and after.named


def _is_side_by_side(node: Node) -> bool:
    before = node.sibling(-1)
    return is_list(node.parent) and before is not None and before.named


def _after_or_before(name: Node) -> Iterator[Node]:
    """Yield the lists of a name: the nearest after it, or before it, with each kind of bracket."""
    kinds: set[str] = set()
    node, end = name, name.stop
    for _ in range(_MAX_LEVELS):
        after = node.sibling(1)
        if node.stop == end and is_list(after) and after.children[0].kind not in kinds:
            kinds.add(after.children[0].kind)
            end = after.stop
            yield after
        if node.parent is None or is_list(node.parent):
            return
        before = [each for each in node.parent.children[: min(node.index, 2)] if is_list(each)]
        if before and before[0].children[0].kind == "<" and "<" not in kinds:
            yield before[0]
            return
        node = node.parent


def _rows(name: Node) -> Iterator[Node]:
    """Yield the lists that follow a name and another word in one construct."""
    node = name
    while (
        node.parent and node.parent.parent and node.stop == name.stop and not is_list(node.parent)
    ):
        after = node.parent.children[node.index + 1 :]
        words = (i for i, each in enumerate(after) if each.named and not each.children)
        yield from (each for each in after[next(words, len(after)) :] if is_list(each))
        node = node.parent
