"""Delete the elements at one position of several lists: arguments, columns of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, takewhile
from typing import NamedTuple, TypeGuard

from nubbin.documents.edits import Edit, File, gain
from nubbin.documents.outlines.line_outline import columns as columns_of
from nubbin.documents.parsing.syntax import Node
from nubbin.documents.spans import Replacement
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, is_separator, propose, with_separator
from nubbin.passes.words.definition import occurrences

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
#: The most levels between a list and its name below: after a qualified name, before a declaration.
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


def arguments(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for each name and position, to delete the elements there in each of its lists.

    Equal texts are taken for the same name, in every language. Positions count from the front and,
    if lists differ in length, also from the back (some languages write the receiver as a
    parameter). Where a deleted parameter is used after its list, the shortest argument replaces it.
    """
    names = occurrences(gate.structure, file.data)
    found = chain.from_iterable(map(lists_of, names.values()))
    edits = (_deletions_by_position(gate, file.data, lists, names) for lists in found)
    yield propose(file, gate.structure, dict.fromkeys(chain.from_iterable(edits)))


def _deletions_by_position(
    gate: Gate, data: bytes, lists: Sequence[List], names: dict[bytes, list[Node]]
) -> Iterator[Edit]:
    """Yield an edit for each position at which several lists have an element."""
    lengths = {len(each.elements) for each in lists}
    longest = max(lengths)
    for at in (*range(longest), *(range(-1, -longest - 1, -1) if len(lengths) > 1 else ())):
        here = [
            (each.elements[at], each.is_call)
            for each in lists
            if -len(each.elements) <= at < len(each.elements)
        ]
        if len(here) > 1:
            yield _without(gate, data, here, names)


def _without(
    gate: Gate, data: bytes, here: Sequence[tuple[Node, bool]], names: dict[bytes, list[Node]]
) -> Edit:
    """Return the edit that deletes elements, and replaces uses of the parameters among them.

    Uses are not replaced if that would make the document longer.
    """
    uses = [[] if is_call else _uses(gate, data, element, names) for element, is_call in here]
    texts = [data[element.start : element.stop] for element, _ in here]
    parameters = {data[use.start : use.stop] for used in uses for use in used}
    given = [text for text, used in zip(texts, uses, strict=True) if not used]
    text = min((text for text in given if text not in parameters), key=len, default=b"")
    deletions = [
        span
        for element, is_call in here
        for span in _deletions_of_element(element, is_call and not gate.structure.language)
    ]
    replacements = [Replacement(use.start, use.stop, text) for used in uses for use in used if text]
    both = (*deletions, *replacements)
    return both if gain(both) >= 0 else tuple(deletions)


def _uses(gate: Gate, data: bytes, element: Node, names: dict[bytes, list[Node]]) -> list[Node]:
    """Return the uses of a parameter after its list, in the construct of the list."""
    brackets = element.parent
    if brackets is None or element.kind == "word":  # A word alone is a type in such lists.
        return []
    end = brackets.stop
    for around in brackets.outward():
        if around.stop > end and gate.may_delete(data, around):
            found = names.get(_name_in(data, element), ())
            return [use for use in found if end <= use.start and use.stop <= around.stop]
    return []


def _name_in(data: bytes, parameter: Node) -> bytes:
    """Return a parameter's own name: the last identifier before its type or default value."""
    leaves = (node for node in parameter.walk() if not node.children)
    own = takewhile(lambda leaf: leaf.kind not in (":", "="), leaves)
    names = [leaf for leaf in own if leaf.named]
    names = [leaf for leaf in names if leaf.kind == "identifier"] or names
    if not names:
        return b""
    name = names[0 if is_list(parameter) else -1]
    return data[name.start : name.stop]


def _deletions_of_element(element: Node, is_call: bool) -> tuple[Replacement, ...]:
    """Return the deletion of an element with its separator, or else with the brackets around it.

    The brackets are deleted if `<...>` would become empty, and if only the head of a call `(f 1)`
    would remain: without a grammar, `f` is a constant.
    """
    around = element.parent
    assert around is not None
    if is_call and len(elements(around)) == 2:
        head = around.children[1]
        return Replacement(around.start, head.start, b" "), Replacement(head.stop, around.stop)
    if around.children[0].kind != "<" or len(elements(around)) > 1:
        return (with_separator(element),)
    # A template without parameters is not a template: the word before the list is deleted too.
    word = around.sibling(-1)
    return (Replacement(word.start if word and not word.named else around.start, around.stop),)


#: A row is at most so deep in its table: three in `{"head": ["a", "b"], "rows": [[1, 2], [3, 4]]}`.
_MAX_ROW_LEVELS = 3
_MARKS = {",", "|"}


def tables(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for all lists of one length in a list, to delete their elements at one position.

    Such lists are rows of values, a head and its rows, records with the same fields, or parallel
    arrays.
    """
    edits = (
        tuple(map(with_separator, column))
        for table in filter(_is_table, gate.structure.nodes(file.data))
        for rows in _rows_of(table).values()
        for column in (zip(*rows, strict=True) if len(rows) > 1 else ())
        if all(gate.may_delete(file.data, cell) for cell in column)
    )
    yield propose(file, gate.structure, dict.fromkeys(edits))


def _rows_of(table: Node) -> dict[int, list[list[Node]]]:
    """Return the lists in a table by their length, without lists around others of that length."""
    found: defaultdict[int, dict[Node, list[Node]]] = defaultdict(dict)
    layer: Sequence[Node] = table.children
    for _ in range(_MAX_ROW_LEVELS):
        for node in layer:
            if len(cells := _cells(node)) > 1:
                for above in takewhile(lambda each: each is not table, node.outward()):
                    found[len(cells)].pop(above, None)
                found[len(cells)][node] = cells
        layer = [child for node in layer for child in node.children]
    return {length: list(rows.values()) for length, rows in found.items()}


def _is_table(node: Node) -> bool:
    rows = [child for child in node.children if child.named]
    return bool(_cells(node)) or (len(rows) > 1 and all(map(_cells, rows)))


def _cells(row: Node) -> list[Node]:
    """Return the elements of a list with separators; [] for any other node."""
    if not any(mark.kind in _MARKS for mark in row.children):
        return []
    return elements(row) if is_list(row) else [cell for cell in row.children if cell.named]


def columns(file: File) -> Proposals[File]:
    """Propose to delete each column of a table in all rows at once.

    A program that reads a table rejects rows that have lost different fields.
    """
    yield propose(file, None, map(tuple, columns_of(file.data)))
