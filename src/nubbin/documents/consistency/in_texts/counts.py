"""Numbers of a text that count its lists, and numbers that are positions in them.

Numbers around a run of numbers may count it, or groups in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.consistency.in_texts.listed import MIN_ITEMS, Listed
from nubbin.documents.consistency.in_texts.number_columns import (
    Column,
    Scale,
    both_ways,
    columns_of,
    progressions,
)
from nubbin.documents.consistency.in_texts.sections import lists
from nubbin.documents.consistency.in_texts.text_lines import Line, Text, Word, counts_in
from nubbin.documents.consistency.in_texts.uncounted import uncounted
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number
from nubbin.pattern import pattern

#: Each name is tracked, even if it is written nowhere.
_MAX_NAMES = 1 << 20


def counts(data: bytes) -> list[Hypothesis]:
    """Return a hypothesis for each list that a number counts, with all numbers that follow from it.

    These are columns with the position of each line, columns with positions of items, and names: 1
    to N, or 0 to N - 1, with N in a head.
    """
    text = Text(data)
    heads, found = lists(text)
    counting = {number.start for each in found for number in each.numbers}
    bounds = [word for word in heads if word.start not in counting]
    bounds = [word for word in bounds if MIN_ITEMS <= word.number <= _MAX_NAMES]
    found = [each._replace(numbers=[*each.numbers, *each.across(bounds)]) for each in found]
    return _joined([*found, *runs(text, found)], bounds)


def positions(data: bytes) -> list[Hypothesis]:
    """Return a hypothesis for each list of a text that counts none before it."""
    return _joined([*uncounted(Text(data))], [])


def _joined(lists: Sequence[Listed], bounds: Sequence[Word]) -> list[Hypothesis]:
    """Return the lists that numbers follow from; `bounds` are heads that count no list of them.

    Such a head may count names, which are a list that is written nowhere else.
    """
    found = {each.items: [*each.numbers] for each in lists}
    pairs: dict[Items, Sequence[tuple[Items, Items]]] = {}
    columns: list[Column] = []
    for each in lists:
        if each.numbers and (both := both_ways(each)):
            numbers, pair = both
            pairs[each.items] = [pair]
            found[each.items] += [*numbers, *_counts_of(pair[0], bounds)]
        else:
            columns += columns_of(each)
    scales: dict[Items | Word, Scale] = {}
    for scale, run in progressions(columns):
        items = run[0].items
        if len(run) > 1:
            places = [place for column in run for place in column.items.places]
            items = Items(places, [Kind.ELEMENT] * len(places))  # removed as items of the lists
            found[items] = _counts_of(items, bounds)
        scales[items] = scale
        for column in run:
            numbers = found.pop(column.items, [])
            found.setdefault(items, []).extend([*numbers, *column.refers_to(items, scale)])
        columns = [column for column in columns if all(column is not each for each in run)]
    names: dict[Word, tuple[Items, Items]] = {}  # and the list with the first column of them
    for column, into in _pointing(columns, [*found], bounds, scales):
        items = owner = column.items
        if isinstance(into, Items):
            items = owner = into
        elif into in names:
            items, owner = names[into]
        else:
            items = Items([[] for _ in range(into.number)], [Kind.NAME] * into.number)
            names[into] = items, owner
            found.setdefault(owner, []).append(Number(*into.span, items))
        numbers = list(column.refers_to(items, scales[into]))
        found.setdefault(owner, []).extend(numbers)
        for number in numbers if into in names else ():
            items.places[number.of or 0].append((number.start, number.stop))
    return [
        Hypothesis(numbers, items, pairs=pairs.get(items, ()))
        for items, numbers in found.items()
        if numbers
    ]


def _pointing(
    columns: Sequence[Column],
    lists: Sequence[Items],
    bounds: Sequence[Word],
    scales: dict[Items | Word, Scale],
) -> Iterator[tuple[Column, Items | Word]]:
    """Yield the columns that are positions, and the list of each, whose scale is added to `scales`.

    A column is tried as positions in all other lists, the smallest first. Then it is tried in its
    own list, which is rare. Last, it may hold names that a number before it counts, if the last
    of these names is among them.
    """
    smallest_first = sorted(lists, key=lambda items: len(items.places))
    said = {word.number for word in bounds}
    pointing: set[tuple[Items, Items | Word]] = set()
    for column in sorted(columns, key=lambda column: -max(column.values)):
        beside = [each.values for each in columns if each.items is column.items]
        others = sorted(smallest_first, key=lambda items: items is column.items)
        before = [word for word in bounds if word.start < column.cells[0][0][0]]
        targets: list[Items | Word] = [*others, *before]
        for into in targets:
            scale, least = scales.get(into), 0.5
            if isinstance(into, Word):
                size = into.number
                if scale is None:
                    least = 1 - 1 / size
                elif max(column.values) in said - {size}:
                    continue
            else:
                size = len(into.places)
                if (column.items, into) in pointing:
                    least = 0.25  # less evidence suffices beside such a column
                elif into is column.items and scale is None:
                    least = 0.9
            scale = scale or _likely_scale(column.values, beside, size)
            if _points_into(column.values, scale, size, least):
                pointing.add((column.items, into))
                scales.setdefault(into, scale)
                yield column, into
                break


def _likely_scale(values: Sequence[int], beside: Sequence[Sequence[int]], size: int) -> Scale:
    """Return whether positions begin with 0 or 1, by their values or by the columns beside them."""
    from_0 = Scale(0)
    others = (each for each in beside if max(values) < size and 0 in each)
    is_from_0 = 0 in values or any(_points_into(each, from_0, size, 0.5) for each in others)
    return Scale(0 if is_from_0 else 1)


def _points_into(values: Sequence[int], scale: Scale, size: int, least: float) -> bool:
    """Tell whether numbers stay within a list, and reach at least a fraction of it.

    If they rise by more than one, fewer numbers suffice, and the smallest may mean nothing.
    """
    positions = [(value - scale.base) // scale.step for value in values if value >= scale.base]
    top = max(positions, default=size)
    if scale.step > 1 and len(values) < MIN_ITEMS:
        return top < size
    is_within = len(positions) == len(values) or scale.step > 1
    return is_within and least * size <= top < size and len(set(positions)) > 2


def _counts_of(items: Items, heads: Sequence[Word]) -> list[Number]:
    return [Number(*word.span, items) for word in heads if word.number == len(items.places)]


#: Shorter runs often match some number by chance.
_MIN_NUMBERS = 12
#: The most numbers in one item: a matrix of four by four.
_MAX_GROUP = 16
#: The largest distance between a run and its count.
_MAX_BETWEEN_BYTES = 1 << 10
_ONE = rb"[-+]?(?:\.?\d|inf|nan)[\w.+-]*"
_RUN = pattern(rb"(?<![\w.+-])%b(?:\s+%b){%d,}" % (_ONE, _ONE, _MIN_NUMBERS - 1))
_WORD = pattern(rb"\S+")


def runs(text: Text, known: Sequence[Listed]) -> Iterator[Listed]:
    """Yield each run of numbers that a number counts, between it and the run before or after it.

    A run of 12 numbers may be counted as 12, as 4 groups of three, and as both. Runs that begin in
    known lists are left out. Linear.
    """
    data = text.data
    lists = [(each.items.places[0][0][0], each.items.places[-1][-1][1]) for each in known]
    found = [run.span() for run in _RUN.finditer(data)]
    found = [run for run in found if not any(a <= run[0] < b for a, b in lists)]
    edges = [(0, 0), *found, (len(data), len(data))]
    for (_, before), (start, stop), (after, _) in zip(edges, found, edges[2:], strict=False):
        heads = counts_in(data, (max(before, start - _MAX_BETWEEN_BYTES), start))[::-1]
        heads += counts_in(data, (stop, min(after, stop + _MAX_BETWEEN_BYTES)))
        words = [word.span() for word in _WORD.finditer(data, start, stop)]
        size, counting = _grouped(heads, len(words))
        if counting:
            spans = [(words[at][0], words[at + size - 1][1]) for at in range(0, len(words), size)]
            items = Items([[span] for span in spans])
            numbers = [Number(*word.span, items, times=times) for word, times in counting]
            yield Listed(items, [Line.read(data, span) for span in spans], numbers)


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
