"""Numbers of a text that count its parts, and numbers that are positions of counted parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.blocks import Block, Text
from nubbin.documents.consistency.in_texts.both_ways import both_ways
from nubbin.documents.consistency.in_texts.columns_of_numbers import (
    Column,
    Scale,
    code_of,
    columns_of,
    progressions,
)
from nubbin.documents.consistency.in_texts.counts_inside import MIN_ITEMS
from nubbin.documents.consistency.in_texts.runs import runs
from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number


def counts(data: bytes) -> list[Hypothesis]:
    """Return a hypothesis for each list that a number counts, with all numbers that follow from it.

    These are columns with the position of each line, columns with positions of items, and names: 1
    to N, or 0 to N - 1, with N in a head.
    """
    heads, blocks = Text(data).heads_and_blocks()
    blocks += runs(data, blocks)
    found = {block.items: [*_counting(block)] for block in blocks if block.head}
    pairs: dict[Items, Sequence[tuple[Items, Items]]] = {}
    columns: list[Column] = []
    for block in blocks:
        if block.head and (both := both_ways(block)):
            pairs[block.items] = [(both.forth, both.back)]
            found[block.items] += both.column.refers_to(block.items, both.scale)
            found[block.items] += _counts_of(both.forth, heads)
        else:
            columns += columns_of(block)
    scales: dict[Items, Scale] = {}
    joined: list[Items] = []
    others = columns
    for scale, run in progressions(columns):
        items = run[0].items
        if len(run) > 1:
            places = [place for column in run for place in column.items.places]
            items = Items(places, [Kind.ELEMENT] * len(places))  # removed as items of the lists
            joined.append(items)
        scales[items] = scale
        for column in run:
            numbers = found.pop(column.items, [])
            found.setdefault(items, []).extend([*numbers, *column.refers_to(items, scale)])
        others = [column for column in others if all(column is not each for each in run)]
    columns = _pointing(others, found, scales)
    counting = {block.head for block in blocks}
    bounds = [word for word in heads if word not in counting]
    for items in joined:
        found[items] += _counts_of(items, bounds)
    said = {word.number for word in bounds}
    for bound in bounds:
        named = [each for each in columns if _are_names(each, bound, said)]
        if any(_reaches(each, bound) for each in named):
            columns = [each for each in columns if each not in named]
            found.setdefault(named[0].items, []).extend(_names(bound, named))
    crossed = {block.items: [number.items for number in block.crossed] for block in blocks}
    return [
        Hypothesis(numbers, items, within=crossed.get(items, ()), pairs=pairs.get(items, ()))
        for items, numbers in found.items()
    ]


def _pointing(
    columns: Sequence[Column], found: dict[Items, list[Number]], scales: Mapping[Items, Scale]
) -> list[Column]:
    """Add to `found` the columns that are positions in lists; return the others."""
    left = []
    smallest_first = sorted(found, key=lambda items: len(items.places))
    pointing: set[tuple[Items, Items]] = set()  # less evidence suffices for columns beside these
    for column in sorted(columns, key=lambda column: -max(column.values)):
        # A column is tried last as positions in its own list, which is rare.
        for items in sorted(smallest_first, key=lambda items: items is column.items):
            beside = [each.values for each in columns if each.items is column.items]
            scale = scales.get(items) or _likely_scale(column.values, beside, len(items.places))
            least = 0.9 if items is column.items and items not in scales else 0.5
            least = 0.25 if (column.items, items) in pointing else least
            if _points_into(column.values, scale, len(items.places), least):
                found[items] += column.refers_to(items, scale)
                pointing.add((column.items, items))
                break
        else:
            left.append(column)
    return left


def _counting(block: Block) -> Iterator[Number]:
    """Yield the number that counts a block, the numbers in it, and those that count its columns."""
    assert block.head is not None
    code = code_of([line.words for line in block.lines]) if block.lines else Code.DECIMAL
    yield Number(*block.head.span, block.items, code=code)
    yield from block.inside
    yield from block.crossed


def _likely_scale(values: Sequence[int], beside: Sequence[Sequence[int]], size: int) -> Scale:
    """Return whether positions begin with 0 or 1, by their values or by the columns beside them."""
    from_0 = Scale(0)
    others = (each for each in beside if max(values) < size and 0 in each)
    is_from_0 = 0 in values or any(_points_into(each, from_0, size, 0.5) for each in others)
    return Scale(0 if is_from_0 else 1)


def _counts_of(items: Items, heads: Sequence[Word]) -> list[Number]:
    """Return the numbers of heads that equal the number of items."""
    return [Number(*word.span, items) for word in heads if word.number == len(items.places)]


def _points_into(values: Sequence[int], scale: Scale, size: int, least: float) -> bool:
    """Tell whether numbers stay within a list, and reach at least a fraction of it.

    If they rise by more than one, fewer numbers suffice, and the smallest may mean nothing.
    """
    positions = scale.positions(values)
    top = max(positions, default=size)
    if scale.step > 1 and len(values) < MIN_ITEMS:
        return top < size
    is_within = len(positions) == len(values) or scale.step > 1
    return is_within and least * size <= top < size and len(set(positions)) > 2


def _reaches(column: Column, bound: Word) -> bool:
    return max(column.values) == bound.number - (0 in column.values)


def _are_names(column: Column, bound: Word, others: Collection[int]) -> bool:
    """Tell whether numbers can be names, and a head before them says how many names there are."""
    top = max(column.values)
    if bound.number < MIN_ITEMS or bound.start > column.cells[0][0][0]:
        return False
    return _reaches(column, bound) or (bound.number // 2 < top < bound.number and top not in others)


def _names(bound: Word, columns: Sequence[Column]) -> Iterator[Number]:
    """Yield the count of names, and each name wherever it is written."""
    scale = Scale(0 if any(0 in column.values for column in columns) else 1)
    items = Items([[] for _ in range(bound.number)], [Kind.NAME] * bound.number)
    yield Number(*bound.span, items)
    for number in (each for column in columns for each in column.refers_to(items, scale)):
        assert number.of is not None
        items.places[number.of].append((number.start, number.stop))
        yield number
