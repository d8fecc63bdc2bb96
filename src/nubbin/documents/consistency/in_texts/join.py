"""Relate the lists of a text with its numbers: counts of items, and positions of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.listed import (
    FROM_0,
    MIN_ITEMS,
    Listed,
    Scale,
    code_of,
    span_of,
    width_of,
)
from nubbin.documents.consistency.in_texts.text_lines import Row, Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number

#: Each name is tracked, even if it is written nowhere.
_MAX_NAMES = 1 << 20


def join(lists: Iterable[Listed], heads: Sequence[Word] = ()) -> list[Hypothesis]:
    """Return a hypothesis for each list that numbers follow from.

    These are the numbers that count it, columns that number the items beside them, and columns with
    positions of items, or with names: 1 to N, or 0 to N - 1, with N in one of the `heads`, which
    count none of the lists.
    """
    found = dict.fromkeys(lists)
    columns: list[Column] = []
    for each in found:
        if each.numbers and (both := _both_ways(each)):
            numbers, pair = both
            each.pairs = [pair]
            each.numbers += [*numbers, *_counts_of(pair[0], heads)]
        else:
            columns += columns_of(each)
    for scale, run in _progressions(columns):
        into = run[0].listed
        if len(run) > 1:
            places = [place for column in run for place in column.listed.items.places]
            items = Items(places, [Kind.ELEMENT] * len(places))  # removed as items of the lists
            into = Listed(items, [], _counts_of(items, heads))
        into.scale = scale
        for column in run:
            found.pop(column.listed, None)
            before, column.listed.numbers = column.listed.numbers, []
            found[into] = None
            into.numbers += [*before, *column.refers_to(into.items, scale)]
        columns = [column for column in columns if column not in run]
    found |= dict.fromkeys(_with_positions(columns, [*found], heads))
    return [
        Hypothesis(each.numbers, each.items, pairs=each.pairs) for each in found if each.numbers
    ]


def _counts_of(items: Items, heads: Sequence[Word]) -> list[Number]:
    return [word.counts(items) for word in heads if word.number == len(items.places)]


# -- columns -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Column:
    """Whole numbers with the same meaning, in the rows of a list."""

    listed: Listed
    words: Row
    code: Code = Code.DECIMAL

    @cached_property
    def values(self) -> list[int]:
        """The numbers without their signs."""
        return [abs(int(word.text)) for word in self.words]

    def positions(self, scale: Scale) -> list[int]:
        """Return the numbers as positions, which are negative if they are too small."""
        base, step = scale
        numbers = self.values if base else self._from_0
        return [(number - base) // step for number in numbers]

    @cached_property
    def _from_0(self) -> list[int]:
        numbers = [int(word.text) for word in self.words]
        return [~number if number < 0 else number for number in numbers]

    def refers_to(self, items: Items, scale: Scale) -> Iterator[Number]:
        """Yield the numbers that are positions of items."""
        positions, size = self.positions(scale), len(items.places)
        for word, value, at in zip(self.words, self.values, positions, strict=True):
            if 0 <= at < size:
                start, more = word.start + word.text.startswith(b"-"), value - scale.step * at
                yield Number(start, word.stop, items, at, more, self.code, times=scale.step)

    def points_into(self, items: Items, scale: Scale, least: float) -> bool:
        """Tell whether the numbers stay within a list, and reach at least a fraction of it.

        If they rise by more than one, fewer numbers suffice, and the smallest may mean nothing.
        """
        size = len(items.places)
        if max(self.values) > size * scale.step + scale.base:
            return False
        positions = [at for at in self.positions(scale) if at >= 0]
        top = max(positions, default=size)
        if scale.step > 1 and len(self.words) < MIN_ITEMS:
            return top < size
        is_within = len(positions) == len(self.words) or scale.step > 1
        return is_within and least * size <= top < size and len(set(positions)) > 2


def columns_of(listed: Listed) -> Iterator[Column]:
    """Yield the columns of whole numbers of a list.

    If rows differ in length, each may contain its own position.
    """
    rows = _aligned(listed)
    if len({len(row) for row in rows}) == 1:
        code = code_of(listed.rows)
        for column in zip(*rows, strict=True):
            yield from (Column(listed, words, code) for words in _numbers(column))
        return
    for base in (0, 1):
        own = [[word for word in row if word.number == n] for n, row in enumerate(rows, base)]
        if rows and all(own):
            yield Column(listed, [words[0] for words in own])


def _aligned(listed: Listed) -> Sequence[Row]:
    """Return the rows of a list, or its words, or the groups of words that rows count.

    If rows of whole numbers differ in length, all numbers but zeros are one column.
    """
    rows = listed.rows
    if len(rows) == 1:
        return [[word] for word in rows[0]]
    if listed.numbers and (size := width_of(rows)):
        return [row[n : n + size] for row in rows for n in range(1, len(row), size)]
    if len({len(row) for row in rows}) > 1 and all(word.is_whole for row in rows for word in row):
        return [[word] for row in rows for word in row if int(word.text)]
    return rows


def _numbers(column: Row) -> Iterator[Row]:
    """Yield the first whole numbers of words, the second ones, ..., if nothing else differs."""
    if all(word.is_whole for word in column):
        yield column
    elif len({word.shape for word in column}) == 1:
        yield from zip(*(word.numbers() for word in column), strict=True)


# -- positions ---------------------------------------------------------------------------------


def _progressions(columns: Sequence[Column]) -> list[tuple[Scale, list[Column]]]:
    """Return the columns that number the items beside them: each rises by one step.

    If one list continues the numbers of another, both are returned as one.
    """
    found: list[tuple[Scale, list[Column]]] = []
    for column in columns:
        values = column.values
        if len(values) != len(column.listed.items.places):
            continue
        before = [each for each in found if each[1][-1].values[-1] + each[0].step == values[0]]
        step = values[1] - values[0] if len(values) > 1 else before[-1][0].step if before else 1
        if step < 1 or any(after - one != step for one, after in pairwise(values)):
            continue
        goes_on = before[-1][1] if before and before[-1][0].step == step else []
        if goes_on and column.listed not in [each.listed for each in goes_on]:
            goes_on.append(column)
        elif values[0] in (0, 1, step):
            found.append((Scale(values[0], step), [column]))
    return found


def _both_ways(listed: Listed) -> tuple[list[Number], tuple[Items, Items]] | None:
    """Return the positions in rows, if each row lists by position those rows that list it.

    Also returns the entries, and the one that is removed with each of them. No row may list
    itself, or another one twice. A number, such as the weight of an edge, may follow each position.
    """
    rows = listed.rows
    for step, base in product((1, 2), (1, 0)) if rows else ():
        cells = {
            (at, row[n].number - base): row[n : n + step]
            for at, row in enumerate(rows)
            for n in range(0, len(row), step)
        }
        forth = sorted((row, other) for row, other in cells if row < other)
        is_all = 2 * step * len(forth) == sum(map(len, rows))
        if forth and is_all and all((other, row) in cells for row, other in forth):
            column = Column(listed, [each[0] for each in cells.values()])
            one, other = (
                Items.of((span_of(cells[each]) for each in pairs), Kind.ELEMENT)
                for pairs in (forth, [(other, row) for row, other in forth])
            )
            return list(column.refers_to(listed.items, Scale(base))), (one, other)
    return None


def _with_positions(
    columns: Sequence[Column], lists: Sequence[Listed], heads: Sequence[Word]
) -> Iterator[Listed]:
    """Add the columns that are positions to the numbers of their lists, and yield these.

    The numbers of names belong to the list with the first column of them.
    """
    names = _names(columns, heads)
    owners: dict[Listed, Listed] = {}
    pointing: set[tuple[Listed, Listed]] = set()
    for column in sorted(columns, key=lambda column: -max(column.values)):
        own = column.listed
        beside = [each for each in columns if each.listed is own]
        for into in _targets(column, lists, names):
            scale = into.scale or _likely_scale(column, beside, into.items)
            least = _least(own, into, is_beside=(own, into) in pointing)
            if column.points_into(into.items, scale, least):
                break
        else:
            continue
        pointing.add((own, into))
        into.scale = scale
        numbers = list(column.refers_to(into.items, scale))
        if into.bound is not None:
            for number in numbers:
                into.items.places[number.item or 0].append((number.start, number.stop))
            if into not in owners:
                numbers.insert(0, into.bound.counts(into.items))
        owner = owners.setdefault(into, own if into.bound else into)
        owner.numbers += numbers
        yield owner


def _names(columns: Sequence[Column], heads: Sequence[Word]) -> list[Listed]:
    """Return lists of names that heads may count: the last of them is the largest of a column.

    Names are written nowhere else.
    """
    tops = {max(column.values) for column in columns}
    return [
        Listed(Items([[] for _ in range(n)], [Kind.NAME] * n), bound=word)
        for word in heads
        for n in [word.number]
        if n <= _MAX_NAMES and {n, n - 1} & tops
    ]


def _targets(column: Column, lists: Sequence[Listed], names: Sequence[Listed]) -> Iterator[Listed]:
    """Yield the lists in which a column may be positions, in the order in which they are tried.

    All other lists, the smallest first; its own list, which is rare; names that a number before it
    counts, unless these are known from another column, and its largest number counts others.
    """
    yield from sorted(lists, key=lambda each: (each is column.listed, len(each.items.places)))
    top = max(column.values)
    has_own = any(len(each.items.places) == top for each in names)
    for each in names:
        is_other = each.scale is not None and has_own and len(each.items.places) != top
        if each.bound and each.bound.start <= column.words[0].start and not is_other:
            yield each


def _least(own: Listed, into: Listed, *, is_beside: bool) -> float:
    """Return the fraction of a list that positions must reach, the smaller the likelier they are.

    A list of names is written nowhere else, so only the last of them tells. Numbers in a list are
    rarely positions in it, and those beside positions in another one often are.
    """
    if into.scale is None and into.bound:
        return 1 - 1 / len(into.items.places)
    if is_beside:
        return 0.25
    return 0.9 if into is own and into.scale is None else 0.5


def _likely_scale(column: Column, beside: Sequence[Column], items: Items) -> Scale:
    """Return whether positions begin with 0 or 1, by their values or by the columns beside them."""
    may_be_from_0 = max(column.values) < len(items.places)
    others = [each for each in beside if may_be_from_0 and 0 in each.values]
    is_from_0 = 0 in column.values or any(each.points_into(items, FROM_0, 0.5) for each in others)
    return FROM_0 if is_from_0 else Scale(1)
