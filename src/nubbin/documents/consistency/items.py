"""What is found in a file: lists of items, and numbers that follow from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.regions import Region
from nubbin.documents.consistency.stand_ins import StandIn
from nubbin.documents.splice import Span


class Kind(IntEnum):
    """What an item is; a reference to one that is gone takes another of its kind in its list."""

    PART = 0  # can be deleted by itself
    NAME = 1  # a number used as a name: it is there as long as it is written anywhere
    DEFINITION = 2
    PARAMETER = 3
    LABEL = 4  # its place is all that follows it, up to the next one
    UNWRITTEN = 5  # is counted, and stands nowhere
    ELEMENT = 6  # of a list in brackets, which other passes delete
    CELL = 7  # single bytes of several words, whose rest stays together


#: Kinds of items for which something can stand in; another label stands for a label.
DEFINING = (Kind.DEFINITION, Kind.PARAMETER)


@dataclass(eq=False)
class Items:
    """A list that numbers count: the places of each item.

    An item is there as long as one of its places is, and a place as long as anything but white
    space of it is left; of a name, as long as all of it is. `mark` stands before each number that
    refers to one of them.
    """

    places: list[list[Span]]
    kinds: list[Kind] = field(default_factory=list)
    mark: bytes = b""


class Number(NamedTuple):
    """A number of a file: `add`, and `times` as many as there are items before the item `of`.

    If `of` is None, it counts all items. Else it refers to that item. A name refers to an item as
    well, and stays as it is.
    """

    start: int
    stop: int
    items: Items
    of: int | None = None
    add: int = 0
    code: Code = Code.DECIMAL
    is_name: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Numbers that may follow from lists; what is deleted to find out is one of some `items`."""

    numbers: Sequence[Number]
    items: Items
    regions: Sequence[Region] = ()
    of_bytes: bool = False  # not of a text: white space counts, and nothing is tidied
    within: Sequence[Items] = ()  # further lists, which are true if this one is
    pairs: Sequence[Sequence[Items]] = ()  # lists of which the first items go together, and so on
    # What stands in for definitions that are gone, by the mark before each reference.
    stand_ins: Mapping[bytes, StandIn] = field(default_factory=dict)

    def probe(self, data: bytes, attempt: int) -> Sequence[Span]:
        """Return the places of an item: one of a name that is hardly used, near the middle.

        At another attempt, it is another one. The last items would not test any positions. If no
        number counts the items, so many go that the largest position is that of none.
        """
        places = self.items.places
        often = Counter([] if self.of_bytes else _NAME.findall(data))
        middle = range(len(places) // 4, max(3 * len(places) // 4, 1))

        def used(at: int) -> tuple[int, int]:
            names = (_NAME.findall(data, *span) for span in places[at])
            least = min((often[name] for found in names for name in found), default=0)
            return least, abs(at - len(places) // 2)

        referring = [number.of for number in self.numbers if number.items is self.items]
        last = max((len(places) - 1 if of is None else of for of in referring), default=-1)
        spare = len(places) - 1 - last if last >= 0 else 0
        at = min(attempt, len(middle) - 1)
        chosen = sorted(middle, key=used)[at : at + 1 + spare]
        return [span for each in sorted(chosen) for span in places[each]]


_NAME = re.compile(rb"[A-Za-z_][\w.-]*")
