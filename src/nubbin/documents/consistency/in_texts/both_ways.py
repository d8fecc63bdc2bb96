"""Lines that list each other: where one has the position of another, that has its position."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin.documents.consistency.in_texts.columns_of_numbers import Scale
from nubbin.documents.consistency.in_texts.text_lines import Line
from nubbin.documents.consistency.items import Items, Kind
from nubbin.documents.splice import Span


def both_ways(lines: Sequence[Line], scale: Scale) -> tuple[Items, Items] | None:
    """Return the numbers of lines that are positions of later ones, and their counterparts.

    If each has one, and no line has its own position or one twice. Such two go together.
    """
    found: dict[tuple[int, int], Span] = {}
    for row, line in enumerate(lines):
        for word in line.words:
            found[row, word.number - scale.base] = word.span
    forth = sorted((row, other) for row, other in found if row < other)
    is_all = 2 * len(forth) == len(found) == sum(len(line.words) for line in lines)
    if not forth or not is_all or not all((other, row) in found for row, other in forth):
        return None
    kinds = [Kind.ELEMENT] * len(forth)
    return Items([[found[each]] for each in forth], kinds), Items(
        [[found[other, row]] for row, other in forth], kinds
    )
