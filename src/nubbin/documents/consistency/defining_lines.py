"""Find definitions on lines of their own, and which of them are used."""

from __future__ import annotations

from collections import Counter

import numpy as np

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.items import Kind
from nubbin.documents.outlines.lexis import unbalanced
from nubbin.documents.splice import Span, line_around


def definitions(data: bytes, known: Consistency) -> list[tuple[int, Span]]:
    """Return the items that are defined on lines of their own, with these lines, in order."""
    return [
        (item, line)
        for item, span in known.places.of_kind(Kind.DEFINITION)
        if known.marks[int(known.places.items.lists[item])]
        if not unbalanced(data[slice(*(line := line_around(data, span)))])
    ]


def used_definitions(data: bytes, known: Consistency) -> dict[bytes, Span]:
    """Return the line of one used definition for each mark, the most used marks first.

    Of the definitions with the fewest uses, but at least one, it is the middle one.
    """
    numbers = known.numbers
    most = known.places.items.lists.size + 1
    uses = np.bincount(numbers.counted[numbers.refers], minlength=most)
    found: dict[bytes, list[tuple[int, Span]]] = {}
    often: Counter[bytes] = Counter()
    for item, line in definitions(data, known):
        mark, others = known.marks[int(known.places.items.lists[item])], int(uses[item]) - 1
        if others > 0:
            found.setdefault(mark, []).append((others, line))
            often[mark] += others
    least = {mark: min(each)[0] for mark, each in found.items()}
    return {
        mark: lines[len(lines) // 2]
        for mark, _ in often.most_common()
        if (lines := [line for others, line in found[mark] if others == least[mark]])
    }
