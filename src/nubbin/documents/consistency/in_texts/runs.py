"""Runs of numbers in a text, each counted by a number around it, perhaps in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.consistency.in_texts.listed import MIN_ITEMS, Listed, span_of
from nubbin.documents.consistency.in_texts.text_lines import Line, Text, Word
from nubbin.documents.consistency.items import Items
from nubbin.pattern import pattern

#: Shorter runs often match some number by chance.
_MIN_NUMBERS = 12
#: The most numbers in one item: a matrix of four by four.
_MAX_GROUP = 16
#: The largest distance between a run and its count.
_MAX_BETWEEN_BYTES = 1 << 10
_ONE = rb"[-+]?(?:\.?\d|inf|nan)[\w.+-]*"
_RUN = pattern(rb"(?<![\w.+-])%b(?:\s+%b){%d,}" % (_ONE, _ONE, _MIN_NUMBERS - 1))


def runs(text: Text, known: Sequence[Listed]) -> Iterator[Listed]:
    """Yield each run of numbers that a number counts, between it and the run before or after it.

    A run of 12 numbers may be counted as 12, as 4 groups of three, and as both. Runs that begin in
    known lists are left out. Linear.
    """
    data = text.data
    extents = [(each.items.places[0][0][0], each.items.places[-1][-1][1]) for each in known]
    found = [run.span() for run in _RUN.finditer(data)]
    found = [run for run in found if not any(a <= run[0] < b for a, b in extents)]
    edges = [(0, 0), *found, (len(data), len(data))]
    for (_, before), (start, stop), (after, _) in zip(edges, found, edges[2:], strict=False):
        heads = text.counts((max(before, start - _MAX_BETWEEN_BYTES), start))[::-1]
        heads += text.counts((stop, min(after, stop + _MAX_BETWEEN_BYTES)))
        words = Line(data, (start, stop)).words
        size, counting = _grouped(heads, len(words))
        if counting:
            rows = [words[at : at + size] for at in range(0, len(words), size)]
            items = Items.of(map(span_of, rows))
            numbers = [word.counts(items, times) for word, times in counting]
            yield Listed(items, rows, numbers)


def _grouped(heads: Sequence[Word], size: int) -> tuple[int, list[tuple[Word, int]]]:
    """Return how many numbers are one item, and the heads with how many times they count each.

    Of heads that contradict each other, the first is used.
    """
    group, taken = 1, list[tuple[Word, int]]()
    for head in heads:
        if head.number < MIN_ITEMS or size % head.number:
            continue
        each = size // head.number
        if each <= _MAX_GROUP and (not taken or each % group == 0 or group % each == 0):
            group = max(group, each)
            taken.append((head, each))
    return group, [(head, group // each) for head, each in taken]
