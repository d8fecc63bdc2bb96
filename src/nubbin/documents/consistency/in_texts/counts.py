"""Numbers of a text that count its lists, and numbers that are positions in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from nubbin.documents.consistency.in_texts.counted_lists import counted_lists
from nubbin.documents.consistency.in_texts.listed import (
    MIN_ITEMS,
    Column,
    Listed,
    Scale,
    both_ways,
    columns_of,
    progressions,
    span_of,
)
from nubbin.documents.consistency.in_texts.text_lines import Line, Text, Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number
from nubbin.pattern import pattern

#: Each name is tracked, even if it is written nowhere.
_MAX_NAMES = 1 << 20


def counts(text: Text) -> list[Hypothesis]:
    """Return a hypothesis for each list that a number counts, with all numbers that follow from it.

    These are columns with the position of each line, columns with positions of items, and names: 1
    to N, or 0 to N - 1, with N in a head.
    """
    heads, found = counted_lists(text)
    counting = {number.start for each in found for number in each.numbers}
    bounds = [word for word in heads if word.start not in counting]
    bounds = [word for word in bounds if MIN_ITEMS <= word.number <= _MAX_NAMES]
    for each in found:
        each.numbers += each.across(bounds)
    return _joined([*found, *runs(text, found)], bounds)


def positions(text: Text) -> list[Hypothesis]:
    """Return a hypothesis for each list of a text that counts none before it."""
    return _joined(uncounted(text), [])


def _joined(lists: Iterable[Listed], bounds: Sequence[Word]) -> list[Hypothesis]:
    """Return the lists that numbers follow from; `bounds` are heads that count no list of them."""
    found = dict.fromkeys(lists)
    columns: list[Column] = []
    for each in found:
        if each.numbers and (both := both_ways(each)):
            numbers, pair = both
            each.pairs = [pair]
            each.numbers += [*numbers, *_counts_of(pair[0], bounds)]
        else:
            columns += columns_of(each)
    for scale, run in progressions(columns):
        into = run[0].listed
        if len(run) > 1:
            places = [place for column in run for place in column.listed.items.places]
            items = Items(places, [Kind.ELEMENT] * len(places))  # removed as items of the lists
            into = Listed(items, [], _counts_of(items, bounds))
        into.scale = scale
        for column in run:
            found.pop(column.listed, None)
            before = column.listed.numbers
            column.listed.numbers = []
            found[into] = None
            into.numbers += [*before, *column.refers_to(into.items, scale)]
        columns = [column for column in columns if column not in run]
    for owner, numbers in _positions(columns, [*found], bounds):
        owner.numbers += numbers
        found[owner] = None
    return [
        Hypothesis(each.numbers, each.items, pairs=each.pairs) for each in found if each.numbers
    ]


def _positions(
    columns: Sequence[Column], lists: Sequence[Listed], bounds: Sequence[Word]
) -> Iterator[tuple[Listed, list[Number]]]:
    """Yield the columns that are positions as numbers, and the list whose hypothesis has them.

    A column is tried as positions in all other lists, the smallest first. Then it is tried in its
    own list, which is rare. Last, it may hold names that a number before it counts, if the last of
    these names is among them. Names are a list that is written nowhere else: their numbers belong
    to the list with the first column of them.
    """
    tops = {max(column.values) for column in columns}
    names = {
        Listed(Items([[] for _ in range(n)], [Kind.NAME] * n), [], []): word
        for word in bounds
        for n in [word.number]
        if {n, n - 1} & tops
    }
    said = {word.number for word in bounds}
    owners: dict[Listed, Listed] = {}
    pointing: set[tuple[Listed, Listed]] = set()
    for column in sorted(columns, key=lambda column: -max(column.values)):
        own, values = column.listed, column.values
        beside = [each.values for each in columns if each.listed is own]
        targets = sorted(lists, key=lambda each: (each is own, len(each.items.places)))
        for into, word in names.items():
            is_other = into.scale is not None and max(values) in said - {word.number}
            targets += [] if is_other or word.start > column.words[0].start else [into]
        for into in targets:
            size = len(into.items.places)
            least = _least(own, into, is_name=into in names, is_beside=(own, into) in pointing)
            scale = into.scale or _likely_scale(values, beside, size)
            if _points_into(values, scale, size, least):
                break
        else:
            continue
        pointing.add((own, into))
        into.scale = scale
        numbers = list(column.refers_to(into.items, scale))
        if into in names:
            for number in numbers:
                into.items.places[number.of or 0].append((number.start, number.stop))
            if into not in owners:
                numbers.insert(0, names[into].counts(into.items))
        yield owners.setdefault(into, own if into in names else into), numbers


def _least(own: Listed, into: Listed, *, is_name: bool, is_beside: bool) -> float:
    """Return the fraction of a list that positions must reach, the smaller the likelier they are.

    A list of names is written nowhere else, so only the last of them tells. Numbers in a list are
    rarely positions in it, and those beside positions in another one often are.
    """
    if into.scale is None and is_name:
        return 1 - 1 / len(into.items.places)
    if is_beside:
        return 0.25
    return 0.9 if into is own and into.scale is None else 0.5


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
    return [word.counts(items) for word in heads if word.number == len(items.places)]


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


#: Fewer lines may match some number by chance.
_MIN_LINES = 8
#: The count of the lines is on one of the last lines, and may differ from their number by this.
_MAX_LINES_OF_TAIL = 2
_MAX_SURPLUS = 2
_MAX_CHANCE = 0.5
_WHOLE = pattern(rb"(?<![\w.-])\d{1,8}(?![\w.])")
_KEYWORD = pattern(rb"[A-Za-z_]\w*\Z")
_POSITIONS = pattern(rb"\S+(?:[ \t]+\d{1,8}(?:/\d{0,8})*)+[ \t\r]*\Z")
_CELL = pattern(rb"(?<=[ \t])\d[\d/]*")
_NUMBERED = pattern(rb"[ \t]*(\d{1,8})(?![\w.:])")


def uncounted(text: Text) -> Iterator[Listed]:
    """Yield lines that begin alike, lines that the last ones count, and numbered parts.

    If lines have only numbers after a word, these are one column, unless they just count up.
    """
    for word, at in text.begun.items():
        if len(at) >= _MIN_LINES and _KEYWORD.match(word):
            spans = [text.spans[each] for each in at]
            have_positions = all(_POSITIONS.match(text.data, *span) for span in spans)
            found = (_CELL.finditer(text.data, *span) for span in spans if have_positions)
            cells = [Word(*each.span(), each[0]) for line in found for each in line]
            rises = all(one.number < other.number for one, other in pairwise(cells))
            yield Listed.of(spans, [] if rises else [cells])
    yield from _counted_last(text)
    yield from _numbered(text)


def _counted_last(text: Text) -> Iterator[Listed]:
    """Yield the lines before a number near the end that counts them, or differs by at most two.

    Of the numbers there, one may be so near the number of lines by chance, as in a line of a
    program: it is the likelier, the more numbers there are, and the fewer lines.
    """
    last = len(text.spans) - 1
    tail = range(last, max(last - _MAX_LINES_OF_TAIL, 0), -1)
    numbers = [(at, each) for at in tail for each in _WHOLE.finditer(text.data, *text.spans[at])]
    for at, number in numbers:
        chance = len(numbers) * (2 * _MAX_SURPLUS + 1) / at
        if abs(surplus := int(number[0]) - at) <= _MAX_SURPLUS and chance <= _MAX_CHANCE:
            items = Items.of(text.spans[:at])
            yield Listed(items, [], [Number(*number.span(), items, None, surplus)])
            return


def _numbered(text: Text) -> Iterator[Listed]:
    """Yield parts that begin with their own position, if half of the first numbers of lines do."""
    found = [each for span in text.spans if (each := _NUMBERED.match(text.data, *span))]
    own: list[tuple[int, Word]] = []
    for each in found:
        if int(each[1]) == (own[-1][1].number + 1 if own else min(int(each[1]), 1)):
            own.append((each.start(), Word(*each.span(1), each[1])))
    if len(own) >= _MIN_LINES and 2 * len(own) >= len(found):
        spans = pairwise([*(start for start, _ in own), len(text.data)])
        yield Listed.of(spans, [[word] for _, word in own])
