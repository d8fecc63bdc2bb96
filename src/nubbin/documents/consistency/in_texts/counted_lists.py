"""Lists that numbers before them count: lines, perhaps in sections, or what `groups` finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, groupby, pairwise
from math import log2

from nubbin.documents.consistency.in_texts.groups import Found, Head, grouped
from nubbin.documents.consistency.in_texts.listed import MIN_ANY, MIN_ITEMS, Listed
from nubbin.documents.consistency.in_texts.text_lines import Text, Word

#: In this many lines, one may look different from the others.
_LINES_PER_EXCEPTION = 20
#: At most this many lines that belong to no list may come before a list.
_MAX_LINES_BETWEEN = 20
#: With less evidence, in bits, a list has the length of a number by chance. The evidence of all
#: lists, minus the bits that choose so small a part of the text, must reach the other limit.
_MIN_BITS = 1.0
_MIN_BITS_OF_TEXT = 0.3
#: At most this many numbers of a line may be the lengths of the sections after it.
_MAX_SECTIONS = 8
#: At most this many numbers, the nearest ones, are tried as the count of a list.
_MAX_WAITING = 64


def counted_lists(text: Text) -> tuple[list[Word], list[Listed]]:
    """Return the numbers outside of lists, and the lists that some of them count, in order.

    Only numbers at the beginning and after counted lists are tried: most texts are hardly read. A
    number may also count the next list. Without enough evidence for all lists together, there are
    none. Lists that nothing counts follow, as they may contain positions.
    """
    heads: list[Head] = []
    found: list[Listed] = []
    waiting: list[Head] = []
    again: list[Head] = []  # heads that have counted a list
    bits = 0.0
    extent = at = reached = 0
    while at < len(text.spans) and at - reached <= _MAX_LINES_BETWEEN:
        near = waiting[-_MAX_WAITING:]
        many = (each for each in near if each.number >= MIN_ITEMS)
        likely = [each for each in many if each.evidence(len(heads)) >= _MIN_BITS]
        likely = [each for each in likely + again if not _is_one_of_many(text, each.line, at)]
        more = _sections(text, at, reached, near, likely) or grouped(text, at, likely)
        if more is None:
            words = [word for word in text.counts(text.spans[at]) if word.number]
            names = max(len(text.line(at).words) - len(words), 0)
            here = [Head(word, at, n, names) for n, word in enumerate(words, len(heads))]
            heads += here
            waiting += here
            at += 1
            continue
        some, stop, head = more
        if head in waiting:
            bits += head.evidence(len(heads))
            waiting.remove(head)
            again.append(head)
        found += some
        extent += text.spans[stop - 1][1] - text.spans[at][0]
        at = reached = stop
    if not found or bits + log2(extent / len(text.data)) < _MIN_BITS_OF_TEXT:
        return [], []
    left = groupby(text.lines(reached, len(text.spans)), key=lambda line: line.looks[1])
    runs = [run for _, alike in left if len(run := list(alike)) >= MIN_ANY]
    return [head.word for head in heads], [*found, *map(Listed.of_lines, runs)]


def _is_one_of_many(text: Text, line: int, at: int) -> bool:
    """Tell whether a line looks like the one before it and line `at`, so it heads no list."""
    return line > 0 and len({text.line(each).looks[1] for each in (line - 1, line, at)}) == 1


def _sections(
    text: Text, at: int, reached: int, near: Sequence[Head], likely: Sequence[Head]
) -> Found | None:
    """Return the lines that a number counts, or sections that numbers of one line count."""
    ranked = [
        (doubt, -sum(head.number for head in heads), heads)
        for heads in _orders(text, at, near, likely)
        if (doubt := _doubt(text, at, reached, heads)) is not None
    ]
    if not ranked:
        return None
    *_, heads = min(ranked, key=lambda each: each[:2])
    stops = accumulate((head.number for head in heads), initial=at)
    some = [
        Listed.of_lines(text.lines(*part), head.word)
        for part, head in zip(pairwise(stops), heads, strict=True)
    ]
    return some, at + sum(head.number for head in heads), heads[0]


def _orders(
    text: Text, at: int, near: Sequence[Head], likely: Sequence[Head]
) -> Iterator[Sequence[Head]]:
    """Yield heads that may count the lists from a line on, in the order of these lists.

    Several heads are in the line before, and in their order; two may be the other way round.
    """
    yield from ([head] for head in likely)
    before = [head for head in near if head.line == at - 1]
    if 0 < len(before) <= _MAX_SECTIONS and not _is_one_of_many(text, at - 1, at):
        for first, last in combinations(range(len(before)), 2):
            yield before[first : last + 1]
        yield from ([last, first] for first, last in combinations(before, 2))


def _doubt(text: Text, at: int, reached: int, heads: Sequence[Head]) -> int | None:
    """Return how many of the lists that heads count look like the lines around them.

    None if they are not such lists: lines of a list look alike, and unlike those around them except
    the head. Up to the end of the text, sections may look like each other, and lines as they like.
    """
    stops = [*accumulate((head.number for head in heads), initial=at)]
    is_long = max(head.number for head in heads) >= MIN_ANY
    if stops[-1] > len(text.spans) or (len(heads) > 1 and not is_long):
        return None
    bounded = [_is_run(text, *part, heads[0].line) for part in pairwise(stops)]
    is_rest = (
        is_long and stops[-1] == len(text.spans) and (at == reached or heads[0].line >= reached)
    )
    if all(bounded) or (is_rest and (len(heads) == 1 or None not in bounded)):
        return len(bounded) - sum(map(bool, bounded))
    return None


def _is_run(text: Text, start: int, stop: int, above: int) -> bool | None:
    """Tell whether lines that look alike are unlike those around them; None if they are not alike.

    A few of many may look different.
    """
    around = [text.line(each).looks for each in (start - 1, stop) if above < each < len(text.spans)]
    few, is_bounded = (stop - start) // _LINES_PER_EXCEPTION, None
    columns = zip(*(line.looks for line in text.lines(start, stop)), strict=True)
    for way, column in enumerate(columns):
        alike = column[len(column) // 2]
        if column.count(alike) >= len(column) - few:
            is_bounded = is_bounded or all(looks[way] != alike for looks in around)
    return is_bounded
