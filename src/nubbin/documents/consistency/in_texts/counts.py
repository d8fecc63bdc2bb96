"""Numbers of a text that count its parts, and those that point into what is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.in_texts.blocks import MIN_ITEMS, Block, Text
from nubbin.documents.consistency.in_texts.columns_of_numbers import Column, code_of, columns_of
from nubbin.documents.consistency.in_texts.text_lines import Word
from nubbin.documents.consistency.items import Hypothesis, Items, Kind, Number


def counts(data: bytes) -> list[Hypothesis]:
    """Return a hypothesis for each list that a number counts, with all that follows from it.

    That is columns of the position of each line, columns of positions of items, and names: 1 to N,
    or 0 to N - 1, with N in a head.
    """
    heads, blocks = Text(data).heads_and_blocks()
    found = {block.items: [*_counting(block)] for block in blocks if block.head}
    columns = [column for block in blocks for column in columns_of(block)]
    bases: dict[Items, int] = {}
    others: list[Column] = []
    for column in columns:
        base = column.values[0]
        if base in (0, 1) and column.values == list(range(base, base + len(column.items.places))):
            bases[column.items] = base
            found.setdefault(column.items, []).extend(column.refers_to(column.items, base))
        else:
            others.append(column)
    columns = []
    smallest_first = sorted(found, key=lambda items: len(items.places))
    pointing: set[tuple[Items, Items]] = set()  # a column that is beside one that points points
    for column in sorted(others, key=lambda column: -max(column.values)):
        # Into its own list last: that is rare.
        for items in sorted(smallest_first, key=lambda items: items is column.items):
            base = bases.get(items, 0 if 0 in column.values else 1)
            least = 0.9 if items is column.items and items not in bases else 0.5
            least = 0.25 if (column.items, items) in pointing else least
            if _points_into(column.values, base, len(items.places), least):
                found[items] += column.refers_to(items, base)
                pointing.add((column.items, items))
                break
        else:
            columns.append(column)
    counting = {block.head for block in blocks}
    bounds = [word for word in heads if word not in counting]
    for bound in bounds:
        rest = [word.number for word in bounds if word is not bound]
        named = [each for each in columns if _are_names(each, bound, rest)]
        if any(_reaches(each, bound) for each in named):
            columns = [each for each in columns if each not in named]
            found.setdefault(named[0].items, []).extend(_names(bound, named))
    crossed = {block.items: [number.items for number in block.crossed] for block in blocks}
    return [Hypothesis(numbers, items, within=crossed[items]) for items, numbers in found.items()]


def _counting(block: Block) -> Iterator[Number]:
    """Yield the number that counts a block, those inside of it, and those of its columns."""
    assert block.head is not None
    code = code_of([line.words for line in block.lines]) if block.lines else Code.DECIMAL
    yield Number(*block.head.span, block.items, code=code)
    yield from block.inside
    yield from block.crossed


def _points_into(values: Sequence[int], base: int, size: int, least: float) -> bool:
    """Tell whether numbers stay within a list, and use at least a fraction of it."""
    top = max(values) - base
    return min(values) >= base and least * size <= top < size and len(set(values)) > 2


def _reaches(column: Column, bound: Word) -> bool:
    return max(column.values) == bound.number - (0 in column.values)


def _are_names(column: Column, bound: Word, others: Sequence[int]) -> bool:
    """Tell whether numbers can be names, of which there are as many as a head before them says."""
    top = max(column.values)
    if bound.number < MIN_ITEMS or bound.start > column.cells[0][0][0]:
        return False
    return _reaches(column, bound) or (bound.number // 2 < top < bound.number and top not in others)


def _names(bound: Word, columns: Sequence[Column]) -> Iterator[Number]:
    """Yield the count of names, and each name wherever it is written."""
    base = 0 if any(0 in column.values for column in columns) else 1
    items = Items([[] for _ in range(bound.number)], [Kind.NAME] * bound.number)
    yield Number(*bound.span, items)
    for number in (each for column in columns for each in column.refers_to(items, base)):
        assert number.of is not None
        items.places[number.of].append((number.start, number.stop))
        yield number
