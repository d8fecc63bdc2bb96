"""The parts of a hypothesis: lists of items, and numbers that follow from them."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.splice import Span
from nubbin.pattern import pattern


class Kind(IntEnum):
    """The kind of an item; references to a removed item use another one of its kind and list."""

    PART = 0  # can be removed by itself
    NAME = 1  # a number used as a name: it is kept as long as it is written anywhere
    DEFINITION = 2
    PARAMETER = 3
    LABEL = 4  # its place is everything after it, up to the next one
    UNWRITTEN = 5  # counted, but written nowhere
    ELEMENT = 6  # of a list in brackets, which other passes delete
    CELL = 7  # single bytes of several words, whose other bytes are kept together


#: Kinds of items that a placeholder can replace. References to a label use another label.
DEFINING = (Kind.DEFINITION, Kind.PARAMETER)


@dataclass(eq=False)
class Items:
    """A list that numbers count: the places of each item.

    An item is kept as long as one of its places is. A place is kept as long as any of it but white
    space is; for a name, as long as all of it is. `sigil` precedes each number that refers to an
    item.
    """

    places: list[list[Span]]
    kinds: list[Kind] = field(default_factory=list)
    sigil: bytes = b""

    @classmethod
    def of(cls, spans: Iterable[Span], kind: Kind = Kind.PART) -> Items:
        """Return items of one kind that have a place each."""
        places = [[span] for span in spans]
        return cls(places, [kind] * len(places))


class Number(NamedTuple):
    """A number of a file: `add` plus `times` the number of items before `item`.

    If `item` is None, it counts all items. Otherwise it refers to that item. A name refers to an
    item, too, and is never rewritten.
    """

    start: int
    stop: int
    items: Items
    item: int | None = None
    add: int = 0
    code: Code = Code.DECIMAL
    is_name: bool = False
    times: int = 1


#: Functions of the bytes of a region; a field holds the lowest bytes of the result.
CHECKSUMS: tuple[Callable[[bytes], int], ...] = (zlib.crc32, zlib.adler32, sum)
#: Instead of the index of a checksum: the number is the length of its region.
LENGTH = -1


class Region(NamedTuple):
    """A number that is `add` plus the number of bytes from `begin` up to `end`.

    If `checksum` is not `LENGTH`, it is that one of `CHECKSUMS` of these bytes instead.
    """

    start: int
    stop: int
    code: Code
    begin: int
    end: int
    add: int = 0
    checksum: int = LENGTH


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Numbers that may follow from lists; to find out, a probe removes one of the `items`."""

    numbers: Sequence[Number]
    items: Items
    regions: Sequence[Region] = ()
    of_bytes: bool = False  # not of a text: white space counts, and nothing is tidied
    within: Sequence[Items] = ()  # further lists, which are true if this one is
    pairs: Sequence[Sequence[Items]] = ()  # lists whose first items are removed together, and so on
    # Placeholders for removed definitions, by the sigil before each reference.
    placeholders: Mapping[bytes, Placeholder] = field(default_factory=dict)

    def probe(self, data: bytes, attempt: int) -> Sequence[Span]:
        """Return the places of an item with a rare name near the middle, to remove it as a probe.

        Each attempt chooses another item. Without the last items, no position would be wrong. If no
        number counts the items, removes enough of them to make the largest position too large.
        """
        places = self.items.places
        often = Counter([] if self.of_bytes else _NAME.findall(data))
        middle = range(len(places) // 4, max(3 * len(places) // 4, 1))

        def by_rarity(at: int) -> tuple[int, int]:
            names = (_NAME.findall(data, *span) for span in places[at])
            least = min((often[name] for found in names for name in found), default=0)
            return least, abs(at - len(places) // 2)

        referring = [number.item for number in self.numbers if number.items is self.items]
        last = max((len(places) - 1 if item is None else item for item in referring), default=-1)
        spare = len(places) - 1 - last if last >= 0 else 0
        at = min(attempt, len(middle) - 1)
        chosen = sorted(middle, key=by_rarity)[at : at + 1 + spare]
        return [span for each in sorted(chosen) for span in places[each]]


_NAME = pattern(rb"[A-Za-z_][\w.-]*")


#: A text; or None, which removes the element of the list around a reference.
Placeholder = bytes | None

#: Values for nothing in particular in some languages. The test decides which of them it accepts.
NEUTRAL: tuple[Placeholder, ...] = (b"undef", None, b"null", b"0", b"None")
