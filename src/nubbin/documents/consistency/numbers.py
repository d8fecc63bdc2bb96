"""Consistency: numbers of a file that follow from the rest of it, carried through every edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import accumulate, chain
from typing import NamedTuple, TypeVar

import numpy as np

from nubbin.documents.consistency.codes import Code
from nubbin.documents.consistency.moved import Moved
from nubbin.documents.consistency.regions import Fields, Region, Regions
from nubbin.documents.consistency.stand_ins import StandIn, element_around, standing_in
from nubbin.documents.splice import (
    BLANKS,
    LINE_ENDS,
    Cuts,
    Layout,
    Mask,
    Offsets,
    Span,
    joined,
    without_text,
)


class Kind(IntEnum):
    """What an item is; a reference to one that is gone takes another of its kind in its list."""

    PART = 0  # can be deleted by itself
    NAME = 1  # a number used as a name: it is there as long as it is written anywhere
    DEFINITION = 2
    PARAMETER = 3
    LABEL = 4  # its place is all that follows it, up to the next one
    UNWRITTEN = 5  # is counted, and stands nowhere


#: Kinds of items for which something can stand in; another label stands for a label.
_DEFINING = (Kind.DEFINITION, Kind.PARAMETER)


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
    """A number of a file: `add`, and as many as there are items before the item `of`.

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


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Numbers that may follow from lists; what is deleted to find out is one of some `items`."""

    numbers: Sequence[Number]
    items: Items
    regions: Sequence[Region] = ()
    of_bytes: bool = False  # not of a text: white space counts, and nothing is tidied
    within: Sequence[Items] = ()  # further lists, which are true if this one is
    # What stands in for definitions that are gone, by the mark before each reference.
    stand_ins: Mapping[bytes, StandIn] = field(default_factory=dict)

    def probe(self, attempt: int) -> Sequence[Span]:
        """Return the places of an item: the middle one, or at another attempt one before it."""
        return self.items.places[len(self.items.places) // (2 + attempt)]


@dataclass(frozen=True, eq=False)
class Consistency:
    """The numbers of one file that follow from the rest of it, and where all of them stand."""

    # Of each place: where it is, and the item. Shapes (P,).
    place_starts: Offsets
    place_stops: Offsets
    place_items: Offsets
    # Of each item, list by list: which list, its kind, what is the same of items that go together,
    # and whether it is there whatever goes. (I,)
    lists: Offsets
    kinds: Offsets
    fates: Offsets
    lasts: Mask
    # What stands before each reference to an item of each list, and what stands in for one that
    # is gone, by that mark. (L,)
    marks: Sequence[bytes]
    stand_ins: Mapping[bytes, StandIn]
    # Of each number: where it is, its value, and what it is: `adds`, and as many as there are items
    # in first..last-1. Whether it refers to item `last`, and is a name. (N,)
    fields: Fields
    values: Offsets
    adds: Offsets
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

        Lists that are `together` have the same number of items, and of these the first of each
        goes with the first of all others, and so on.
        """
        taken: set[int] = set()
        chosen = _apart((number for each in found for number in each.numbers), taken)
        regions = _apart((region for each in found for region in each.regions), taken)
        of_bytes = [each for each in found if each.of_bytes]
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
        kinds = [kind for each in lists for kind in each.kinds or [Kind.PART] * len(each.places)]
        places = [
            (*span, item)
            for item, spans in enumerate(spans for each in lists for spans in each.places)
            for span in spans
        ]
        fates = np.arange(len(kinds))
        for group in together:
            for each in group[1:]:
                fates[first[each] : last[each]] = fates[first[group[0]] : last[group[0]]]
        starts, stops, owners = np.array(places, dtype=np.int64).reshape(-1, 3).T
        return cls(
            place_starts=starts,
            place_stops=stops,
            place_items=owners,
            lists=np.repeat(np.arange(len(lists)), [len(each.places) for each in lists]),
            kinds=_offsets(kinds),
            fates=fates,
            lasts=np.equal(kinds, Kind.UNWRITTEN),
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
            firsts=_offsets(first[number.items] for number in chosen),
            counted=_offsets(
                last[each.items] if each.of is None else first[each.items] + each.of
                for each in chosen
            ),
            refers=np.array([number.of is not None for number in chosen], dtype=np.bool_),
            names=np.array([number.is_name for number in chosen], dtype=np.bool_),
            regions=Regions.of(regions),
            of_bytes=bool(of_bytes),
        )

    def parts(self) -> list[list[Span]]:
        """Return the items that can be deleted by themselves, list by list, in order."""
        found: dict[int, list[Span]] = {}
        for item, span in self.places(Kind.PART):
            found.setdefault(int(self.lists[item]), []).append(span)
        return [found[number] for number in sorted(found)]

    def places(self, kind: Kind) -> list[tuple[int, Span]]:
        """Return the items of a kind with each of their places, in the order of these."""
        at = np.flatnonzero(self.kinds[self.place_items] == kind)
        at = at[np.lexsort((self.place_stops[at], self.place_starts[at]))]
        columns = (
            each[at].tolist() for each in (self.place_items, self.place_starts, self.place_stops)
        )
        return [(item, (start, stop)) for item, start, stop in zip(*columns, strict=True)]

    def definitions(self, data: bytes) -> list[tuple[int, Span]]:
        """Return the items that are defined in lines of their own, with these lines, in order."""
        return [
            (item, line)
            for item, span in self.places(Kind.DEFINITION)
            if self.marks[int(self.lists[item])]
            if is_balanced(data[slice(*(line := line_around(data, span)))])
        ]

    def references(self, kind: Kind) -> Offsets:
        """Return where references to items of a kind start, in order."""
        referring = np.flatnonzero(self.refers)
        of_kind = self.kinds[self.counted[referring]] == kind
        return np.sort(self.fields.starts[referring[of_kind]])

    def with_stand_in(self, mark: bytes, text: StandIn) -> Consistency:
        """Return the same, with what stands in for a definition that is gone, by its mark."""
        return replace(self, stand_ins={**self.stand_ins, mark: text})

    def used_definitions(self, data: bytes) -> dict[bytes, Span]:
        """Return by their marks where definitions stand that are used, those most used first.

        Of each mark, that is the middle one of the lines that are used least, but are.
        """
        uses = np.bincount(self.counted[self.refers], minlength=self.lists.size + 1)
        found: dict[bytes, list[tuple[int, Span]]] = {}
        often: Counter[bytes] = Counter()
        for item, line in self.definitions(data):
            mark, others = self.marks[int(self.lists[item])], int(uses[item]) - 1
            if others > 0:
                found.setdefault(mark, []).append((others, line))
                often[mark] += others
        least = {mark: min(each)[0] for mark, each in found.items()}
        return {
            mark: lines[len(lines) // 2]
            for mark, _ in often.most_common()
            if (lines := [line for others, line in found[mark] if others == least[mark]])
        }

    # -- through an edit ---------------------------------------------------------------

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Consistency]:
        """Return cuts that make the numbers right as well, and the consistency after them.

        A number that is cut, even in part, is left as the cut leaves it and follows from nothing
        any more. Linear in the bytes, plus what sorting the items takes; a loop is only over the
        numbers that change.
        """
        stays, there = self._left(data, cuts)
        while (more := self._more(data, cuts, there)).starts.size:
            cuts = joined(cuts, more)
            cuts = cuts if self.of_bytes else Layout(data).tidied(cuts)
            stays, there = self._left(data, cuts)
        cuts = joined(cuts, self._replaced(data, cuts, there))
        before = np.concatenate(([0], np.cumsum(there)))
        counted = self.counted.copy()
        at = np.flatnonzero(self.refers)
        lost = at[~there[counted[at]]]
        heirs = self._heirs(there)[counted[lost]] if lost.size else lost
        heirs = np.where(self.names[lost], -1, heirs)
        counted[lost] = np.where(heirs < 0, self.firsts[lost], heirs)
        values = self.adds + before[counted] - before[self.firsts]
        whole = self.fields.whole(cuts)
        changed = np.flatnonzero(whole & ~self.names & (values != self.values))
        cuts = self.fields.at(changed).written(data, cuts, values[changed])
        cuts, regions = self.regions.repaired(data, cuts)
        moved = Moved(cuts)
        follows = whole.copy()
        follows[lost[heirs < 0]] = False
        return cuts, Consistency(
            place_starts=moved.starts(self.place_starts[stays]),
            place_stops=moved.stops(self.place_stops[stays]),
            place_items=before[self.place_items[stays]],
            lists=self.lists[there],
            kinds=self.kinds[there],
            fates=self.fates[there],
            lasts=self.lasts[there],
            marks=self.marks,
            stand_ins=self.stand_ins,
            fields=self.fields.at(follows).moved(moved),
            values=values[follows],
            adds=self.adds[follows],
            firsts=before[self.firsts[follows]],
            counted=before[counted[follows]],
            refers=self.refers[follows],
            names=self.names[follows],
            regions=regions,
            of_bytes=self.of_bytes,
        )

    def _more(self, data: bytes, cuts: Cuts, there: Mask) -> Cuts:
        """Return what has to go with what is gone: other items, and elements with references."""
        places = np.flatnonzero(self._doomed(there)[self.place_items])
        around: list[Span] = []
        for span, text in self._dangling(cuts, there):
            if text is None and (element := element_around(data, span)) is not None:
                around.append(element)
        elements = np.array(around, dtype=np.int64).reshape(-1, 2)
        return joined(
            Cuts(self.place_starts[places], self.place_stops[places], {}),
            Cuts(elements[:, 0], elements[:, 1], {}),
        )

    def _replaced(self, data: bytes, cuts: Cuts, there: Mask) -> Cuts:
        """Return cuts that put what stands in for definitions that are gone in their places."""
        found = [
            (*span, standing_in(data, span, text))
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
        lost = ~there[of] & np.isin(self.kinds[of], _DEFINING)
        for number, item in zip(referring[lost].tolist(), of[lost].tolist(), strict=True):
            mark = self.marks[int(self.lists[item])]
            if mark in self.stand_ins:
                start, stop = int(self.fields.starts[number]), int(self.fields.stops[number])
                yield (start - len(mark), stop), self.stand_ins[mark]

    def _doomed(self, there: Mask) -> Mask:
        """Return the items that are there and must go, because others do: flags of shape (I,)."""
        gone = np.zeros(self.fates.max(initial=-1) + 1, dtype=np.bool_)
        gone[self.fates[~there]] = True
        doomed: Mask = there & gone[self.fates]
        return doomed

    def _left(self, data: bytes, cuts: Cuts) -> tuple[Mask, Mask]:
        """Return which places are left, and which items: flags of shapes (P,) and (I,)."""
        is_ink = np.ones(256, dtype=np.int64)
        if not self.of_bytes:
            is_ink[list(BLANKS + LINE_ENDS)] = 0
        ink = np.concatenate(([0], np.cumsum(is_ink[np.frombuffer(data, dtype=np.uint8)])))
        deletes = without_text(cuts)
        if not self.of_bytes:
            deletes[[cut for cut, text in cuts.texts.items() if not text.strip()]] = True
        # The same cuts of a text from which the white space is left out.
        gone = Moved(Cuts(ink[cuts.starts[deletes]], ink[cuts.stops[deletes]], {}))
        starts, stops = ink[self.place_starts], ink[self.place_stops]
        cut = gone.gone(stops) - gone.gone(starts)
        is_name = self.kinds[self.place_items] == Kind.NAME
        stays: Mask = cut < np.where(is_name, 1, stops - starts)
        stays &= ~self._overwritten(Cuts(cuts.starts[~deletes], cuts.stops[~deletes], {}))
        items = np.bincount(self.place_items[stays], minlength=self.lists.size)
        return stays, self.lasts | (items > 0)

    def _overwritten(self, cuts: Cuts) -> Mask:
        """Return which places are parts of cuts in whose places a text stands: flags (P,)."""
        if not cuts.starts.size:
            return np.zeros(self.place_starts.size, dtype=np.bool_)
        cut = np.searchsorted(cuts.starts, self.place_starts, side="right") - 1
        before, after = self.place_starts - cuts.starts[cut], cuts.stops[cut] - self.place_stops
        part: Mask = (cut >= 0) & (after >= 0) & (before + after > 0)
        return part

    def _heirs(self, there: Mask) -> Offsets:
        """Return the item that stands for each: the next before it of its kind, else after it.

        Of labels, the next after it comes first. -1 if none is left.
        """
        group = self.lists * len(Kind) + self.kinds
        order = np.argsort(group, kind="stable")
        group, here, at = group[order], there[order], np.arange(order.size)
        before = np.maximum.accumulate(np.where(here, at, -1))
        after = np.minimum.accumulate(np.where(here, at, at.size)[::-1])[::-1]
        has_before = before >= np.searchsorted(group, group, side="left")
        has_after = after < np.searchsorted(group, group, side="right")
        forward = has_after & (~has_before | (self.kinds[order] == Kind.LABEL))
        chosen = np.where(forward, after, np.where(has_before, before, -1))
        heirs = np.empty_like(order)
        heirs[order] = np.where(chosen < 0, -1, order[chosen])
        return heirs


def line_around(data: bytes, span: Span) -> Span:
    """Return the lines around a span."""
    stop = data.find(b"\n", span[1])
    return data.rfind(b"\n", 0, span[0]) + 1, len(data) if stop < 0 else stop


def is_balanced(text: bytes) -> bool:
    """Tell whether a text has as many brackets that open as brackets that close."""
    return all(text.count(opening) == text.count(closing) for opening, closing in _BRACKETS)


_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))

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
