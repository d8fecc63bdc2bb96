"""The numbers in the head of a file, which may be counts, lengths and offsets of what follows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.items import Items, Number
from nubbin.documents.consistency.regions import Region
from nubbin.pattern import pattern

#: The longest head that is read.
MAX_HEAD_BYTES = 128
#: The codes of wide numbers, by the order of their bytes.
ORDERS = ((Code.U32_LITTLE, Code.U16_LITTLE), (Code.U32_BIG, Code.U16_BIG))
_TEXT = pattern(rb"[\n -~]{4,}")
_DECIMAL = pattern(rb"(?<![\w.])\d{1,9}(?![\w.])")


class Said(NamedTuple):
    """A number in the head of a file."""

    start: int
    stop: int
    code: Code
    value: int

    def counts(self, items: Items, times: int = 1) -> Number:
        """Return it as `times` the number of items, and perhaps more that cannot be removed."""
        more = self.value - times * len(items.places)
        return Number(self.start, self.stop, items, add=more, code=self.code, times=times)

    def measures(self, begin: int, last: int) -> Iterator[Region]:
        """Yield it as the length of a file, or of what follows the number or the head."""
        if self.value in (last, last - self.stop, last - begin):
            more = self.value - last + begin
            yield Region(self.start, self.stop, self.code, begin, last, more)


def said(data: bytes, stop: int, codes: Collection[Code]) -> list[Said]:
    """Return all readings of a head as numbers, in order.

    Where four characters in a row are printable, they are text, whose numbers are decimal.
    """
    texts = [text.span() for text in _TEXT.finditer(data, 0, stop)]
    found = [
        Said(*word.span(), Code.DECIMAL, int(word[0]))
        for text in texts
        for word in _DECIMAL.finditer(data, *text)
    ]
    for at in range(stop):
        for code in codes:
            value, end = code.read(data, at) or (-1, stop + 1)
            if end <= stop and not any(begin <= at and end <= until for begin, until in texts):
                found.append(Said(at, end, code, value))
    return sorted(found, key=lambda each: each.start)
