"""Numbers of a text that count its lists, and numbers that are positions in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nubbin.documents.consistency.in_texts.counted_lists import counted_lists
from nubbin.documents.consistency.in_texts.listed import MIN_ITEMS, Listed, Scale
from nubbin.documents.consistency.in_texts.number_columns import (
    Column,
    both_ways,
    columns_of,
    progressions,
)
from nubbin.documents.consistency.in_texts.runs import runs
from nubbin.documents.consistency.in_texts.text_lines import Text, Word
from nubbin.documents.consistency.in_texts.uncounted import uncounted
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number

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
