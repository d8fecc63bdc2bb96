"""Delete a column of a table: the elements at one position of several lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from nubbin.documents.edits import Edit
from nubbin.documents.file import File
from nubbin.documents.outlines.columns import columns as columns_of
from nubbin.documents.parsing.syntax import Node
from nubbin.passes.nodes.lists import elements, is_list
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, try_edits, with_separator

#: A row is at most so deep in its table: three in `{"head": ["a", "b"], "rows": [[1, 2], [3, 4]]}`.
_MAX_LEVELS = 3
_MARKS = {",", "|"}


def tables(file: File, gate: Gate) -> Proposals[File]:
    """Propose, for all lists of one length in a list, to delete their elements at one position.

    Such lists are rows of values, a head and its rows, records with the same fields, or parallel
    arrays.
    """
    edits: dict[Edit, None] = {}
    for node in gate.structure.nodes(file.data):
        if _is_table(node):
            edits.update(dict.fromkeys(_edits(gate, file.data, node)))
    yield from try_edits(file, gate.structure, edits)


def _edits(gate: Gate, data: bytes, table: Node) -> Iterator[Edit]:
    for rows in _rows(table).values():
        for column in zip(*rows, strict=True) if len(rows) > 1 else ():
            if all(gate.may_delete(data, cell) for cell in column):
                yield tuple(with_separator(cell) for cell in column)


def _rows(table: Node) -> dict[int, list[list[Node]]]:
    """Return the lists in a table by their length, without lists around others of that length."""
    found: defaultdict[int, dict[Node, list[Node]]] = defaultdict(dict)
    layer: Sequence[Node] = table.children
    for _ in range(_MAX_LEVELS):
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
    yield from try_edits(file, None, map(tuple, columns_of(file.data)))
