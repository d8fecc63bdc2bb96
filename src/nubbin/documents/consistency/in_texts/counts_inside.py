"""Numbers in known lists that count words of lines, lines of groups, or columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from nubbin.documents.consistency.in_texts.text_lines import Line, Word, width_of
from nubbin.documents.consistency.items import Items, Kind, Number

#: Fewer items than this often match some number by chance.
MIN_ITEMS = 4
#: Numbers come in groups of one, two, three or four.
MANY = range(1, 5)


def counts_of_words(lines: list[Line]) -> Iterator[Number]:
    """Yield the first numbers of lines, if all count the words after them, in ones, twos, ..."""
    if width := width_of(lines):
        for line in lines:
            head, *words = line.words
            parts = [words[n : n + width] for n in range(0, len(words), width)]
            yield Number(*head.span, Items([[(part[0].start, part[-1].stop)] for part in parts]))


def counts_of_lines(groups: list[list[Line]], words: list[bytes]) -> Iterator[Number]:
    """Yield a number of each group, if it counts the lines between two lines that begin with words.

    The number is on a line that begins with one of them.
    """
    keyed = [[at for at, line in enumerate(each) if line.words[0].text in words] for each in groups]
    if {len(at) for at in keyed} != {len(words)}:
        return
    heads = [
        [word for at in keys for word in group[at].words]
        for group, keys in zip(groups, keyed, strict=True)
    ]
    columns = list(zip(*heads, strict=False))
    for first, last in combinations(range(len(words)), 2):
        sizes = [keys[last] - keys[first] - 1 for keys in keyed]
        if len(set(sizes)) == 1:
            continue
        for column in columns:
            if all(word.number == size for word, size in zip(column, sizes, strict=True)):
                for word, group, keys in zip(column, groups, keyed, strict=True):
                    lines = group[keys[first] + 1 : keys[last]]
                    yield Number(word.start, word.stop, Items([[line.span] for line in lines]))
                return


def crossed(lines: list[Line], heads: list[Word]) -> Iterator[Number]:
    """Yield the numbers of heads that count the columns of lines: all words, or bytes of the last.

    Also yields those that count the words of all lines.
    """
    widths = {len(line.words) for line in lines}
    rows = [line.row for line in lines]
    depths = {stop - start for start, stop in rows}
    every = [word for line in lines for word in line.words]
    for head in heads:
        if head.number < MIN_ITEMS or not lines:
            continue
        width = max(widths)
        each = width // head.number
        if widths == {each * head.number} and each in MANY:
            starts = range(0, width, each)
            cells = [
                [(line.words[at].start, line.words[at + each - 1].stop) for line in lines]
                for at in starts
            ]
            yield Number(*head.span, Items(cells))
        elif depths == {head.number}:
            bytes_of = [[(at + n, at + n + 1) for at, _ in rows] for n in range(head.number)]
            yield Number(*head.span, Items(bytes_of, [Kind.CELL] * head.number))
        elif head.number == len(every) > len(lines):
            names = [Kind.NAME] * len(every)  # a word is not removed by itself
            yield Number(*head.span, Items([[word.span] for word in every], names))
