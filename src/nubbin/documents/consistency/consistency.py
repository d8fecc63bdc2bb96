"""Keep the numbers of a file consistent with the rest of it through every edit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np

from nubbin.documents.consistency.items import DEFINING, Hypothesis, Items, Kind, Number
from nubbin.documents.consistency.moved import Moved
from nubbin.documents.consistency.places import Places
from nubbin.documents.consistency.regions import Fields, Region, Regions
from nubbin.documents.consistency.stand_ins import StandIn, element_around
from nubbin.documents.splice import Cuts, Layout, Mask, Offsets, Span, apart, joined

#: Kinds of items whose positions a text may seem to have by chance.
_POINTED_TO = (Kind.PART, Kind.NAME, Kind.ELEMENT, Kind.CELL)


@dataclass(frozen=True, eq=False)
class _Numbers(Fields):
    """Numbers that follow from items: arrays of shape (N,).

    Each is `adds` plus `times` the number of items in firsts..counted-1.
    """

    values: Offsets
    adds: Offsets
    times: Offsets
    firsts: Offsets
    counted: Offsets
    # Whether the number refers to the item `counted`, and whether it is a name.
    refers: Mask
    names: Mask

    @classmethod
    def of(cls, data: bytes, numbers: Iterable[Number], firsts: Mapping[Items, int]) -> _Numbers:
        """Return the numbers of a file; `firsts` has the index of each list's first item."""
        rows = [
            (
                each.start,
                each.stop,
                each.code,
                0 if each.is_name else each.code.number(data[each.start : each.stop]),
                each.add,
                each.times,
                firsts[each.items],
                firsts[each.items] + (len(each.items.places) if each.of is None else each.of),
                each.of is not None,
                each.is_name,
            )
            for each in numbers
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, len(fields(cls))).T
        starts, stops, codes, values, adds, times, firsts_of, counted, refers, names = table
        return cls(
            starts, stops, codes, values, adds, times, firsts_of, counted, refers > 0, names > 0
        )


@dataclass(frozen=True, eq=False)
class Consistency:
    """The numbers of one file that follow from the rest of it, and the items they follow from."""

    places: Places
    # Per list, shape (L,): the mark before each reference to its items. Per mark: the placeholder
    # for a removed definition.
    marks: Sequence[bytes]
    stand_ins: Mapping[bytes, StandIn]
    numbers: _Numbers
    regions: Regions
    of_bytes: bool

    @classmethod
    def of(
        cls, data: bytes, found: Sequence[Hypothesis], together: Sequence[Sequence[Items]] = ()
    ) -> Consistency:
        """Return the consistency of a file; if numbers overlap, the first is used.

        The items of lists that are `together` are removed together: see `Places.of`.
        """
        together = [*together, *(pair for each in found for pair in each.pairs)]
        taken: set[int] = set()
        chosen = _without_overlaps((number for each in found for number in each.numbers), taken)
        regions = _without_overlaps((region for each in found for region in each.regions), taken)
        lists = list(
            dict.fromkeys(
                chain(
                    (number.items for number in chosen),
                    (each.items for each in found if each.of_bytes or not each.numbers),
                    (items for each in found for items in each.within),
                    *together,
                )
            )
        )
        begins = accumulate((len(each.places) for each in lists), initial=0)
        return cls(
            places=Places.of(lists, together),
            marks=[each.mark for each in lists],
            stand_ins={mark: text for each in found for mark, text in each.stand_ins.items()},
            numbers=_Numbers.of(data, chosen, dict(zip(lists, begins, strict=False))),
            regions=Regions.of(regions),
            of_bytes=any(each.of_bytes for each in found),
        )

    def references(self, kind: Kind) -> Offsets:
        """Return where references to items of a kind start, in order."""
        referring = self.numbers.at(self.numbers.refers)
        return np.sort(referring.starts[self.places.items.kinds[referring.counted] == kind])

    def as_written(self, lists: Collection[int], *, own: bool = False) -> Consistency | None:
        """Return this without the positions of items of some lists, and without names.

        Edits leave these as they are. If `own`, it lacks only positions inside the item that they
        refer to. None if it lacks nothing. References to definitions are always included.
        """
        numbers, items, spans = self.numbers, self.places.items, self.places.spans
        size = items.lists.size
        if not size:
            return None
        of, firsts = np.minimum((numbers.counted, numbers.firsts), size - 1)
        drops = numbers.refers & np.isin(items.lists[of], list(lists))
        if own:
            first, last = np.full(size, np.iinfo(np.int64).max), np.zeros(size, dtype=np.int64)
            np.minimum.at(first, spans.items, spans.starts)
            np.maximum.at(last, spans.items, spans.stops)
            drops &= (first[of] <= numbers.starts) & (numbers.stops <= last[of])
        else:
            drops |= items.kinds[firsts] == Kind.NAME
        drops &= np.isin(items.kinds[of], _POINTED_TO) & ~numbers.names
        return replace(self, numbers=numbers.at(~drops)) if np.any(drops) else None

    def with_stand_in(self, mark: bytes, text: StandIn) -> Consistency:
        """Return this with a placeholder for removed definitions that have a mark."""
        return replace(self, stand_ins={**self.stand_ins, mark: text})

    def joined(self, other: Consistency) -> Consistency:
        """Return this with the items and numbers of another, none of which overlaps its own."""
        before, more = self.places.items.lists.size, other.numbers
        more = replace(more, firsts=more.firsts + before, counted=more.counted + before)
        return replace(
            self,
            places=self.places.joined(other.places, len(self.marks)),
            marks=[*self.marks, *other.marks],
            stand_ins={**self.stand_ins, **other.stand_ins},
            numbers=self.numbers.joined(more),
        )

    # -- applying an edit --------------------------------------------------------------

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Consistency]:
        """Return cuts that also correct the numbers, and the consistency after them.

        A number that is cut, even in part, is left as the cut leaves it, and follows from nothing
        afterwards. Linear in the bytes, plus the time to sort the items; a loop is only over the
        numbers that change.
        """
        places, numbers = self.places, self.numbers
        survives, present = places.left(data, cuts, of_bytes=self.of_bytes)
        while (more := self._dependent_cuts(data, cuts, present)).starts.size:
            cuts = joined(cuts, more)
            cuts = cuts if self.of_bytes else Layout(data).tidied(cuts)
            survives, present = places.left(data, cuts, of_bytes=self.of_bytes)
        cuts = joined(cuts, self._placeholder_cuts(data, cuts, present))
        before = np.concatenate(([0], np.cumsum(present)))
        counted = numbers.counted.copy()
        at = np.flatnonzero(numbers.refers)
        lost = at[~present[counted[at]]]
        found = places.substitutes(present)[counted[lost]] if lost.size else lost
        found = np.where(numbers.names[lost], -1, found)
        counted[lost] = np.where(found < 0, numbers.firsts[lost], found)
        values = numbers.adds + numbers.times * (before[counted] - before[numbers.firsts])
        follows = numbers.whole(cuts)
        changed = follows & ~numbers.names & (values != numbers.values)
        cuts = numbers.at(changed).written(data, cuts, values[changed])
        cuts, regions = self.regions.repaired(data, cuts)
        moved = Moved(cuts)
        follows[lost[found < 0]] = False
        numbers = replace(
            numbers, values=values, firsts=before[numbers.firsts], counted=before[counted]
        )
        return cuts, replace(
            self,
            places=places.after(moved, survives, present, before),
            numbers=numbers.at(follows).moved(moved),
            regions=regions,
        )

    def _dependent_cuts(self, data: bytes, cuts: Cuts, present: Mask) -> Cuts:
        """Return more cuts: of partners of removed items, and of elements that refer to them."""
        around: list[Span] = []
        for span, text in self._dangling(cuts, present):
            if text is None and (element := element_around(data, span)) is not None:
                around.append(element)
        starts, stops = np.array(around, dtype=np.int64).reshape(-1, 2).T
        return joined(self.places.doomed(present), Cuts(starts, stops, {}))

    def _placeholder_cuts(self, data: bytes, cuts: Cuts, present: Mask) -> Cuts:
        found = [
            (*span, apart(data, *span, text))
            for span, text in self._dangling(cuts, present)
            if text is not None
        ]
        starts, stops = np.array([each[:2] for each in found], dtype=np.int64).reshape(-1, 2).T
        return Cuts(starts, stops, {n: text for n, (*_, text) in enumerate(found)})

    def _dangling(self, cuts: Cuts, present: Mask) -> Iterator[tuple[Span, StandIn]]:
        """Yield the references to removed definitions, and their placeholders."""
        if not self.stand_ins:
            return
        items = self.places.items
        referring = self.numbers.at(self.numbers.refers & self.numbers.whole(cuts))
        lost = ~present[referring.counted] & np.isin(items.kinds[referring.counted], DEFINING)
        at = referring.at(lost)
        columns = (each.tolist() for each in (at.starts, at.stops, at.counted))
        for start, stop, item in zip(*columns, strict=True):
            mark = self.marks[int(items.lists[item])]
            if mark in self.stand_ins:
                yield (start - len(mark), stop), self.stand_ins[mark]


_Placed = TypeVar("_Placed", Number, Region)


def _without_overlaps(numbers: Iterable[_Placed], taken: set[int]) -> list[_Placed]:
    """Return the numbers, sorted, that overlap no earlier one; adds their bytes to `taken`."""
    chosen = []
    for number in numbers:
        if taken.isdisjoint(range(number.start, number.stop)):
            taken.update(range(number.start, number.stop))
            chosen.append(number)
    return sorted(chosen, key=lambda number: number.start)
