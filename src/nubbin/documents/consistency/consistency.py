"""Consistency: numbers of a file that follow from the rest of it, carried through every edit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np

from nubbin.documents.consistency.items import DEFINING, Hypothesis, Items, Kind, Number
from nubbin.documents.consistency.moved import Moved
from nubbin.documents.consistency.places import Places
from nubbin.documents.consistency.regions import Fields, Region, Regions
from nubbin.documents.consistency.stand_ins import StandIn, element_around
from nubbin.documents.splice import Cuts, Layout, Mask, Offsets, Span, apart, joined

#: Kinds of items whose positions may stand in a text by chance.
_POINTED_TO = (Kind.PART, Kind.NAME, Kind.ELEMENT, Kind.CELL)


@dataclass(frozen=True, eq=False)
class Consistency:
    """The numbers of one file that follow from the rest of it, and where all of them stand."""

    items: Places
    # What stands before each reference to an item of each list, and what stands in for one that
    # is gone, by that mark. (L,)
    marks: Sequence[bytes]
    stand_ins: Mapping[bytes, StandIn]
    # Of each number: where it is, its value, and what it is: `adds`, and `times` as many as there
    # are items in first..last-1. Whether it refers to item `last`, and is a name. (N,)
    fields: Fields
    values: Offsets
    adds: Offsets
    times: Offsets
    firsts: Offsets
    counted: Offsets
    refers: Mask
    names: Mask
    regions: Regions
    of_bytes: bool

    @classmethod
    def of(
        cls, data: bytes, found: Sequence[Hypothesis], together: Sequence[Sequence[Items]] = ()
    ) -> Consistency:
        """Return the consistency of a file; of numbers that overlap, the first is taken.

        Lists that are `together` go together, as those that are pairs do: see `Places.of`.
        """
        together = [*together, *(pair for each in found for pair in each.pairs)]
        taken: set[int] = set()
        chosen = _apart((number for each in found for number in each.numbers), taken)
        regions = _apart((region for each in found for region in each.regions), taken)
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
        ends = list(accumulate(len(each.places) for each in lists))
        first = {each: end - len(each.places) for each, end in zip(lists, ends, strict=True)}
        last = dict(zip(lists, ends, strict=True))
        return cls(
            items=Places.of(lists, together),
            marks=[each.mark for each in lists],
            stand_ins={mark: text for each in found for mark, text in each.stand_ins.items()},
            fields=Fields(
                _offsets(number.start for number in chosen),
                _offsets(number.stop for number in chosen),
                _offsets(number.code for number in chosen),
            ),
            values=_offsets(
                0 if each.is_name else each.code.number(data[each.start : each.stop])
                for each in chosen
            ),
            adds=_offsets(number.add for number in chosen),
            times=_offsets(number.times for number in chosen),
            firsts=_offsets(first[number.items] for number in chosen),
            counted=_offsets(
                last[each.items] if each.of is None else first[each.items] + each.of
                for each in chosen
            ),
            refers=np.array([number.of is not None for number in chosen], dtype=np.bool_),
            names=np.array([number.is_name for number in chosen], dtype=np.bool_),
            regions=Regions.of(regions),
            of_bytes=any(each.of_bytes for each in found),
        )

    def references(self, kind: Kind) -> Offsets:
        """Return where references to items of a kind start, in order."""
        referring = np.flatnonzero(self.refers)
        of_kind = self.items.kinds[self.counted[referring]] == kind
        return np.sort(self.fields.starts[referring[of_kind]])

    def as_written(self, lists: Collection[int], *, own: bool = False) -> Consistency | None:
        """Return the same without the positions of items of some lists, and without names.

        These are left as they are then; if `own`, only positions that stand in their items. None if
        there are none. Definitions are not among them.
        """
        size = self.items.lists.size
        if not size:
            return None
        of, firsts = np.minimum((self.counted, self.firsts), size - 1)
        drops = self.refers & np.isin(self.items.lists[of], list(lists))
        if own:
            first, last = np.full(size, np.iinfo(np.int64).max), np.zeros(size, dtype=np.int64)
            np.minimum.at(first, self.items.items, self.items.starts)
            np.maximum.at(last, self.items.items, self.items.stops)
            drops &= (first[of] <= self.fields.starts) & (self.fields.stops <= last[of])
        else:
            drops |= self.items.kinds[firsts] == Kind.NAME
        drops &= np.isin(self.items.kinds[of], _POINTED_TO) & ~self.names
        return self._only(~drops) if np.any(drops) else None

    def _only(self, follows: Mask) -> Consistency:
        """Return the same, with only some of its numbers."""
        return replace(
            self,
            fields=self.fields.at(follows),
            values=self.values[follows],
            adds=self.adds[follows],
            times=self.times[follows],
            firsts=self.firsts[follows],
            counted=self.counted[follows],
            refers=self.refers[follows],
            names=self.names[follows],
        )

    def with_stand_in(self, mark: bytes, text: StandIn) -> Consistency:
        """Return the same, with what stands in for a definition that is gone, by its mark."""
        return replace(self, stand_ins={**self.stand_ins, mark: text})

    def joined(self, other: Consistency) -> Consistency:
        """Return what both say; no number of one stands where one of the other does."""
        before = self.items.lists.size
        return replace(
            self,
            items=self.items.joined(other.items, len(self.marks)),
            marks=[*self.marks, *other.marks],
            stand_ins={**self.stand_ins, **other.stand_ins},
            fields=Fields(*map(np.concatenate, zip(self.fields, other.fields, strict=True))),
            values=np.concatenate((self.values, other.values)),
            adds=np.concatenate((self.adds, other.adds)),
            times=np.concatenate((self.times, other.times)),
            firsts=np.concatenate((self.firsts, other.firsts + before)),
            counted=np.concatenate((self.counted, other.counted + before)),
            refers=np.concatenate((self.refers, other.refers)),
            names=np.concatenate((self.names, other.names)),
        )

    # -- through an edit ---------------------------------------------------------------

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Consistency]:
        """Return cuts that make the numbers right as well, and the consistency after them.

        A number that is cut, even in part, is left as the cut leaves it and follows from nothing
        any more. Linear in the bytes, plus what sorting the items takes; a loop is only over the
        numbers that change.
        """
        stays, there = self.items.left(data, cuts, of_bytes=self.of_bytes)
        while (more := self._more(data, cuts, there)).starts.size:
            cuts = joined(cuts, more)
            cuts = cuts if self.of_bytes else Layout(data).tidied(cuts)
            stays, there = self.items.left(data, cuts, of_bytes=self.of_bytes)
        cuts = joined(cuts, self._replaced(data, cuts, there))
        before = np.concatenate(([0], np.cumsum(there)))
        counted = self.counted.copy()
        at = np.flatnonzero(self.refers)
        lost = at[~there[counted[at]]]
        heirs = self.items.heirs(there)[counted[lost]] if lost.size else lost
        heirs = np.where(self.names[lost], -1, heirs)
        counted[lost] = np.where(heirs < 0, self.firsts[lost], heirs)
        values = self.adds + self.times * (before[counted] - before[self.firsts])
        whole = self.fields.whole(cuts)
        changed = np.flatnonzero(whole & ~self.names & (values != self.values))
        cuts = self.fields.at(changed).written(data, cuts, values[changed])
        cuts, regions = self.regions.repaired(data, cuts)
        moved = Moved(cuts)
        follows = whole.copy()
        follows[lost[heirs < 0]] = False
        left = replace(self, values=values, counted=counted)._only(follows)
        return cuts, replace(
            left,
            items=self.items.after(moved, stays, there, before),
            fields=left.fields.moved(moved),
            firsts=before[left.firsts],
            counted=before[left.counted],
            regions=regions,
        )

    def _more(self, data: bytes, cuts: Cuts, there: Mask) -> Cuts:
        """Return what has to go with what is gone: other items, and elements with references."""
        around: list[Span] = []
        for span, text in self._dangling(cuts, there):
            if text is None and (element := element_around(data, span)) is not None:
                around.append(element)
        elements = np.array(around, dtype=np.int64).reshape(-1, 2)
        return joined(self.items.doomed(there), Cuts(elements[:, 0], elements[:, 1], {}))

    def _replaced(self, data: bytes, cuts: Cuts, there: Mask) -> Cuts:
        """Return cuts that put what stands in for definitions that are gone in their places."""
        found = [
            (*span, apart(data, *span, text))
            for span, text in self._dangling(cuts, there)
            if text is not None
        ]
        spans = _offsets(chain.from_iterable(each[:2] for each in found)).reshape(-1, 2)
        return Cuts(spans[:, 0], spans[:, 1], {n: each[2] for n, each in enumerate(found)})

    def _dangling(self, cuts: Cuts, there: Mask) -> Iterator[tuple[Span, StandIn]]:
        """Yield the references to definitions that are gone, and what stands in for them."""
        if not self.stand_ins:
            return
        referring = np.flatnonzero(self.refers & self.fields.whole(cuts))
        of = self.counted[referring]
        lost = ~there[of] & np.isin(self.items.kinds[of], DEFINING)
        for number, item in zip(referring[lost].tolist(), of[lost].tolist(), strict=True):
            mark = self.marks[int(self.items.lists[item])]
            if mark in self.stand_ins:
                start, stop = int(self.fields.starts[number]), int(self.fields.stops[number])
                yield (start - len(mark), stop), self.stand_ins[mark]


_Placed = TypeVar("_Placed", Number, Region)


def _apart(numbers: Iterable[_Placed], taken: set[int]) -> list[_Placed]:
    """Return the numbers, in order, that stand where none does yet; adds where they stand."""
    chosen = []
    for number in numbers:
        if taken.isdisjoint(range(number.start, number.stop)):
            taken.update(range(number.start, number.stop))
            chosen.append(number)
    return sorted(chosen, key=lambda number: number.start)


def _offsets(numbers: Iterable[int]) -> Offsets:
    return np.fromiter(numbers, dtype=np.int64)
