"""Find the differences between two versions of a file, by lines and then by tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import NamedTuple

from nubbin.documents.deltas import common_end, common_start
from nubbin.documents.outlines import pieces
from nubbin.documents.outlines.lexis import WORD
from nubbin.documents.spans import Replacement

#: With more pairs of equal elements, two lists are not compared by their longest common runs.
_MAX_EQUAL_PAIRS = 200_000

#: The tokens of longer texts are not compared.
_MAX_TOKEN_BYTES = 1 << 20

#: Ranges of two lists that differ: start and stop in the first, start and stop in the second.
_Block = tuple[int, int, int, int]


class _Unit(NamedTuple):
    """The unit by which texts are compared, lines or tokens, and where one may begin or end.

    Units of `most` bytes or more can be split.
    """

    split: pieces.Splitter
    is_border: Callable[[bytes, int], object]
    most: int


def differences(old: bytes, new: bytes) -> list[Replacement]:
    """Return the replacements that turn one text into another, in order and disjoint.

    Compares lines, and then the tokens of lines that differ, unless these are very long. Takes
    linear time if one part has changed. With many changes, it takes a few milliseconds for each
    thousand tokens that differ.
    """
    by_lines = _compared(Replacement(0, len(old), new), old, _LINES)
    return [part for lines in by_lines for part in _compared(lines, old, _TOKENS)]


def changed(old: bytes, new: bytes, first: int = 0) -> Replacement:
    """Return the single replacement that turns one text into another; takes linear time.

    If a deletion can be made at several places, such as in `aa`, returns the one next to `first`.
    """
    begin, end = common_start(old, new), common_end(old, new, min(len(old), len(new)))
    gone = len(old) - len(new)
    if gone > 0 and begin + end >= len(new):
        start = min(max(first, len(new) - end), begin)
        return Replacement(start, start + gone)
    end = min(end, min(len(old), len(new)) - begin)
    return Replacement(begin, len(old) - end, new[begin : len(new) - end])


def _compared(whole: Replacement, old: bytes, unit: _Unit) -> Iterator[Replacement]:
    """Yield the parts of a replacement that differ, in units of both texts."""
    start, stop, text = trimmed = _trimmed(whole, old, unit)
    if unit is _TOKENS and stop - start + len(text) > _MAX_TOKEN_BYTES:
        yield trimmed
        return
    before, after = _pieces(old[start:stop], unit), _pieces(text, unit)
    ends = list(accumulate(map(len, before), initial=start))
    text_ends = list(accumulate(map(len, after), initial=0))
    for i, j, k, m in _blocks(before, after):
        part = Replacement(ends[i], ends[j], text[text_ends[k] : text_ends[m]])
        yield _trimmed(part, old, unit)


def _trimmed(whole: Replacement, old: bytes, unit: _Unit) -> Replacement:
    """Return a replacement without the units at the start and the end that are equal."""
    start, stop, text = whole
    replaced = old[start:stop]
    begin = common_start(replaced, text)
    end = common_end(replaced, text, min(len(replaced), len(text)) - begin)
    if unit is _TOKENS and begin + end == len(text):
        return _deletion(start, replaced, begin, len(replaced) - len(text))
    if begin < max(len(replaced), len(text)):
        begin -= max(_to_border(each, begin, -1, unit) for each in (replaced, text))
    end = common_end(replaced, text, min(len(replaced), len(text)) - begin)
    end -= max(_to_border(each, len(each) - end, 1, unit) for each in (replaced, text))
    return Replacement(start + begin, stop - end, text[begin : len(text) - end])


def _deletion(start: int, text: bytes, begin: int, size: int) -> Replacement:
    """Return the deletion of so many bytes of a text, from the start of a character if possible."""
    while (
        begin and size and text[begin] & 0xC0 == 0x80 and text[begin - 1] == text[begin + size - 1]
    ):
        begin -= 1
    return Replacement(start + begin, start + begin + size)


def _to_border(text: bytes, at: int, step: int, unit: _Unit) -> int:
    """Return the distance to the next border of a unit, backwards for step -1; 0 if it is far."""
    ahead = range(at, at + step * unit.most, step)
    return next((abs(end - at) for end in ahead if unit.is_border(text, end)), 0)


_LINES = _Unit(
    pieces.lines, lambda text, at: at in {0, len(text)} or text[at - 1 : at] == b"\n", 4096
)
_TOKENS = _Unit(
    pieces.tokens,
    lambda text, at: at == 0 or not (WORD.match(text, at - 1) and WORD.match(text, at)),
    64,
)


def _pieces(text: bytes, unit: _Unit) -> list[bytes]:
    return [text[a:b] for a, b in pairwise(unit.split(text).offsets.tolist())]


def _blocks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[_Block]:
    count, other = Counter(before), Counter(after)
    if sum(number * other[each] for each, number in count.items()) <= _MAX_EQUAL_PAIRS:
        for tag, *block in SequenceMatcher(None, before, after).get_opcodes():
            if tag != "equal":
                i, j, k, m = block
                yield i, j, k, m
    elif (kept := _places(before, after)) is not None:
        gaps = zip([-1, *kept], [*kept, len(before)], strict=True)
        yield from ((a + 1, b, at, at) for at, (a, b) in enumerate(gaps) if a + 1 < b)
    else:
        yield 0, len(before), 0, len(after)


def _places(before: Sequence[bytes], after: Sequence[bytes]) -> list[int] | None:
    """Return the place of each element of `after` in `before`, in order; None if one has none."""
    left = iter(enumerate(before))
    found = [next((at for at, there in left if there == each), -1) for each in after]
    return None if -1 in found else found
