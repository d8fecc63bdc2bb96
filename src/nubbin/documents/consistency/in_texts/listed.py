"""A list of a text, and the numbers that count it, its columns, or the parts of its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nubbin.documents.consistency.in_texts.text_lines import Line, Word, code_of, width_of
from nubbin.documents.consistency.items import Items, Kind, Number
from nubbin.documents.splice import Span

#: Fewer items than this often match some number by chance.
MIN_ITEMS = 4
#: From this length on, a list may look as it likes, and a number may count several of them.
MIN_ANY = 10
#: Numbers come in groups of one, two, three or four.
_MANY = range(1, 5)


class Listed(NamedTuple):
    """A list of a text, and the numbers that follow from it, none if nothing counts it."""

    items: Items
    lines: Sequence[Line]  # their columns may be positions
    numbers: Sequence[Number]

    @classmethod
    def of(
        cls,
        spans: Iterable[Span],
        lines: Sequence[Line],
        head: Word | None = None,
        inside: Iterable[Number] = (),
    ) -> Listed:
        """Return the list of some spans, which a head may count."""
        items = Items([[span] for span in spans])
        counts = [Number(*head.span, items, code=code_of(lines))] if head else []
        return cls(items, lines, [*counts, *inside])

    @classmethod
    def of_lines(cls, lines: Sequence[Line], head: Word | None = None) -> Listed:
        """Return lines as a list, with the counts in them if a head counts it."""
        return cls.of((line.span for line in lines), lines, head, _inside(lines) if head else ())

    def across(self, heads: Iterable[Word]) -> Iterator[Number]:
        """Yield the numbers of heads before counted lines that count their columns.

        These are all words, or the bytes of the last one. Also yields what counts all words.
        """
        words = {len(line.words) for line in self.lines}
        rows = [line.row for line in self.lines]
        depths = {stop - start for start, stop in rows}
        every = [word for line in self.lines for word in line.words]
        for head in heads:
            if not every or not self.numbers or head.start > every[0].start:
                continue
            step, rest = divmod(max(words), head.number)
            if len(words) == 1 and not rest and step in _MANY:
                starts = range(0, max(words), step)
                cells = [
                    [(line.words[at].start, line.words[at + step - 1].stop) for line in self.lines]
                    for at in starts
                ]
                yield Number(*head.span, Items(cells))
            elif depths == {head.number}:
                bytes_of = [[(at + n, at + n + 1) for at, _ in rows] for n in range(head.number)]
                yield Number(*head.span, Items(bytes_of, [Kind.CELL] * head.number))
            elif head.number == len(every) > len(self.lines):
                names = [Kind.NAME] * len(every)  # a word is not removed by itself
                yield Number(*head.span, Items([[word.span] for word in every], names))


def _inside(lines: Sequence[Line]) -> Iterator[Number]:
    """Yield the first numbers of lines, if all count the words after them, in ones, twos, ..."""
    if width := width_of(lines):
        for line in lines:
            head, *words = line.words
            parts = [words[n : n + width] for n in range(0, len(words), width)]
            yield Number(*head.span, Items([[(part[0].start, part[-1].stop)] for part in parts]))
