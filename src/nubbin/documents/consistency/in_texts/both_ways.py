"""Lines that list each other: if one has the position of another, that has its position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.blocks import Block
from nubbin.documents.consistency.in_texts.columns_of_numbers import Column, Scale
from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Items, Kind

#: So many numbers may follow a position, such as the weight of an edge.
_MAX_AFTER = 1


class BothWays(NamedTuple):
    """The positions on lines, and the two lists of entries that are removed together."""

    column: Column
    scale: Scale
    forth: Items
    back: Items


def both_ways(block: Block) -> BothWays | None:
    """Return the entries of a block, if each line that is listed lists the other in turn.

    This must hold for all of them. No line may list itself, or another one twice.
    """
    rows = [line.words for line in block.lines]
    if not rows or not all(word.number >= 0 for row in rows for word in row):
        return None
    for step in range(1, _MAX_AFTER + 2):
        parts = [[row[at : at + step] for at in range(0, len(row), step)] for row in rows]
        for base in (1, 0):
            if found := _paired(parts, base):
                cells = [(part[0].span, part[0].number) for row in parts for part in row]
                return BothWays(Column(block.items, cells), Scale(base), *found)
    return None


def _paired(rows: Sequence[Sequence[Sequence[Word]]], base: int) -> tuple[Items, Items] | None:
    """Return the entries with the position of a later line, and their counterparts."""
    found = {
        (row, part[0].number - base): (part[0].start, part[-1].stop)
        for row, parts in enumerate(rows)
        for part in parts
    }
    forth = sorted((row, other) for row, other in found if row < other)
    is_all = 2 * len(forth) == len(found) == sum(map(len, rows))
    if not forth or not is_all or not all((other, row) in found for row, other in forth):
        return None
    kinds = [Kind.ELEMENT] * len(forth)
    back = [[found[other, row]] for row, other in forth]
    return Items([[found[each]] for each in forth], kinds), Items(back, kinds)
