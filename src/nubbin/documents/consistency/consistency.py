"""Keep the numbers of a file consistent with the rest of it through every edit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np

from nubbin.documents.consistency.items import (
    DEFINING,
    Hypothesis,
    Items,
    Kind,
    Number,
    Placeholder,
)
from nubbin.documents.consistency.regions import Fields, Moved, Region, Regions, SpanTable, Table
from nubbin.documents.outlines.lexis import element_around, unbalanced
from nubbin.documents.splice import (
    BLANKS,
    LINE_ENDS,
    Cuts,
    Layout,
    Mask,
    Offsets,
    Span,
    apart,
    joined,
    line_around,
    without_text,
)

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
                firsts[each.items] + (len(each.items.places) if each.item is None else each.item),
                each.item is not None,
                each.is_name,
            )
            for each in numbers
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, len(fields(cls))).T
        return cls(*table[:-2], *table[-2:] > 0)


@dataclass(frozen=True, eq=False)
class Consistency:
    """The numbers of one file that follow from the rest of it, and the items they follow from."""

    places: Places
    # Per list, shape (L,): the sigil before each reference to its items. Per sigil: the placeholder
    # for a removed definition.
    sigils: Sequence[bytes]
    placeholders: Mapping[bytes, Placeholder]
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
        lists = _lists_of(found, chosen, together)
        begins = accumulate((len(each.places) for each in lists), initial=0)
        return cls(
            places=Places.of(lists, together),
            sigils=[each.sigil for each in lists],
            placeholders={
                sigil: text for each in found for sigil, text in each.placeholders.items()
            },
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
        refer to. None if nothing was left out. References to definitions are always included.
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

    def with_placeholder(self, sigil: bytes, text: Placeholder) -> Consistency:
        """Return this with a placeholder for removed definitions that have a sigil."""
        return replace(self, placeholders={**self.placeholders, sigil: text})

    def joined(self, other: Consistency) -> Consistency:
        """Return this with the items and numbers of another, none of which overlaps its own."""
        before, more = self.places.items.lists.size, other.numbers
        more = replace(more, firsts=more.firsts + before, counted=more.counted + before)
        return replace(
            self,
            places=self.places.joined(other.places, len(self.sigils)),
            sigils=[*self.sigils, *other.sigils],
            placeholders={**self.placeholders, **other.placeholders},
            numbers=self.numbers.joined(more),
        )

    # -- definitions -------------------------------------------------------------------

    def definitions(self, data: bytes) -> list[tuple[int, Span]]:
        """Return the items that are defined on lines of their own, with these lines, in order."""
        return [
            (item, line)
            for item, span in self.places.of_kind(Kind.DEFINITION)
            if self.sigils[int(self.places.items.lists[item])]
            if not unbalanced(data[slice(*(line := line_around(data, span)))])
        ]

    def used_definitions(self, data: bytes) -> dict[bytes, Span]:
        """Return the line of one used definition for each sigil, the most used sigils first.

        Of the definitions with the fewest uses, but at least one, it is the middle one.
        """
        most = self.places.items.lists.size + 1
        uses = np.bincount(self.numbers.counted[self.numbers.refers], minlength=most)
        found: dict[bytes, list[tuple[int, Span]]] = {}
        for item, line in self.definitions(data):
            if (others := int(uses[item]) - 1) > 0:
                sigil = self.sigils[int(self.places.items.lists[item])]
                found.setdefault(sigil, []).append((others, line))
        chosen = {}
        for sigil in sorted(found, key=lambda sigil: -sum(others for others, _ in found[sigil])):
            least = min(found[sigil])[0]
            lines = [line for others, line in found[sigil] if others == least]
            chosen[sigil] = lines[len(lines) // 2]
        return chosen

    # -- applying an edit --------------------------------------------------------------

    def repaired(self, data: bytes, cuts: Cuts) -> tuple[Cuts, Consistency]:
        """Return cuts that also correct the numbers, and the consistency after them.

        A number that is cut, even in part, is left as the cut leaves it, and follows from nothing
        afterwards. Linear in the bytes, plus the time to sort the items; a loop is only over the
        numbers that change.
        """
        places, numbers = self.places, self.numbers
        survives, present = places.surviving(data, cuts, of_bytes=self.of_bytes)
        while (more := self._dependent_cuts(data, cuts, present)).starts.size:
            cuts = joined(cuts, more)
            cuts = cuts if self.of_bytes else Layout(data).tidied(cuts)
            survives, present = places.surviving(data, cuts, of_bytes=self.of_bytes)
        cuts = joined(cuts, self._placeholder_cuts(data, cuts, present))
        new_items = np.concatenate(([0], np.cumsum(present)))
        counted = numbers.counted.copy()
        at = np.flatnonzero(numbers.refers)
        lost = at[~present[counted[at]]]
        found = places.substitutes(present)[counted[lost]] if lost.size else lost
        found = np.where(numbers.names[lost], -1, found)
        counted[lost] = np.where(found < 0, numbers.firsts[lost], found)
        values = numbers.adds + numbers.times * (new_items[counted] - new_items[numbers.firsts])
        follows = numbers.whole(cuts)
        changed = follows & ~numbers.names & (values != numbers.values)
        cuts = numbers.at(changed).written(data, cuts, values[changed])
        cuts, regions = self.regions.repaired(data, cuts)
        moved = Moved(cuts)
        follows[lost[found < 0]] = False
        numbers = replace(
            numbers, values=values, firsts=new_items[numbers.firsts], counted=new_items[counted]
        )
        return cuts, replace(
            self,
            places=places.after_edit(moved, survives, present, new_items),
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
        return joined(self.places.partner_cuts(present), Cuts(starts, stops, {}))

    def _placeholder_cuts(self, data: bytes, cuts: Cuts, present: Mask) -> Cuts:
        found = [
            (*span, apart(data, *span, text))
            for span, text in self._dangling(cuts, present)
            if text is not None
        ]
        starts, stops = np.array([each[:2] for each in found], dtype=np.int64).reshape(-1, 2).T
        return Cuts(starts, stops, {n: text for n, (*_, text) in enumerate(found)})

    def _dangling(self, cuts: Cuts, present: Mask) -> Iterator[tuple[Span, Placeholder]]:
        """Yield the references to removed definitions, and their placeholders."""
        if not self.placeholders:
            return
        items = self.places.items
        referring = self.numbers.at(self.numbers.refers & self.numbers.whole(cuts))
        lost = ~present[referring.counted] & np.isin(items.kinds[referring.counted], DEFINING)
        at = referring.at(lost)
        columns = (each.tolist() for each in (at.starts, at.stops, at.counted))
        for start, stop, item in zip(*columns, strict=True):
            sigil = self.sigils[int(items.lists[item])]
            if sigil in self.placeholders:
                yield (start - len(sigil), stop), self.placeholders[sigil]


def _lists_of(
    found: Sequence[Hypothesis], numbers: Sequence[Number], together: Iterable[Sequence[Items]]
) -> list[Items]:
    """Return all lists to track, once each: those of numbers first."""
    counted = (number.items for number in numbers)
    uncounted = (each.items for each in found if each.of_bytes or not each.numbers)
    within = chain.from_iterable(each.within for each in found)
    return [*dict.fromkeys(chain(counted, uncounted, within, *together))]


_Placed = TypeVar("_Placed", Number, Region)


def _without_overlaps(numbers: Iterable[_Placed], taken: set[int]) -> list[_Placed]:
    """Return the numbers, sorted, that overlap no earlier one; adds their bytes to `taken`."""
    chosen = []
    for number in numbers:
        if taken.isdisjoint(range(number.start, number.stop)):
            taken.update(range(number.start, number.stop))
            chosen.append(number)
    return sorted(chosen, key=lambda number: number.start)


@dataclass(frozen=True, eq=False)
class _PlaceTable(SpanTable):
    """The places of items, with the index of each item: arrays of shape (P,)."""

    items: Offsets


@dataclass(frozen=True, eq=False)
class _ItemTable(Table):
    """The items of some lists, list by list: arrays of shape (I,)."""

    lists: Offsets
    kinds: Offsets
    groups: Offsets  # items of one group are removed together


@dataclass(frozen=True, eq=False)
class Places:
    """The items of the lists of one file, and their places."""

    spans: _PlaceTable
    items: _ItemTable

    @classmethod
    def of(cls, lists: Sequence[Items], together: Sequence[Sequence[Items]]) -> Places:
        """Return the places of the items of some lists.

        Each element of `together` is a sequence of lists of equal length. Their first items are
        removed together, and so are the second ones, and so on.
        """
        sizes = [len(each.places) for each in lists]
        ends = np.cumsum([0, *sizes])
        at = {each: slice(*ends[n : n + 2]) for n, each in enumerate(lists)}
        kinds = [kind for each in lists for kind in each.kinds or [Kind.PART] * len(each.places)]
        spans = chain.from_iterable(each.places for each in lists)
        places = [(*span, item) for item, each in enumerate(spans) for span in each]
        starts, stops, items = np.array(places, dtype=np.int64).reshape(-1, 3).T
        groups = np.arange(len(kinds))
        for first, *others in together:
            for each in others:
                groups[at[each]] = groups[at[first]]
        numbers = np.repeat(np.arange(len(lists)), sizes)
        listed = _ItemTable(numbers, np.array(kinds, dtype=np.int64), groups)
        return cls(_PlaceTable(starts, stops, items), listed)

    def joined(self, other: Places, lists: int) -> Places:
        """Return the places of both; the lists of `other` are numbered from `lists`."""
        spans = replace(other.spans, items=other.spans.items + self.items.lists.size)
        groups = other.items.groups + self.items.groups.max(initial=-1) + 1
        items = replace(other.items, lists=other.items.lists + lists, groups=groups)
        return Places(self.spans.joined(spans), self.items.joined(items))

    def of_kind(self, kind: Kind) -> list[tuple[int, Span]]:
        """Return (item, span) for each place of the items of a kind, in file order."""
        at = np.flatnonzero(self.items.kinds[self.spans.items] == kind)
        at = at[np.lexsort((self.spans.stops[at], self.spans.starts[at]))]
        spans = self.spans.at(at)
        columns = (each.tolist() for each in (spans.items, spans.starts, spans.stops))
        return [(item, (start, stop)) for item, start, stop in zip(*columns, strict=True)]

    def spans_by_list(self, kind: Kind = Kind.PART) -> dict[int, list[list[Span]]]:
        """Return the spans of each item of a kind, by list.

        Lists that refer to others should precede these, and lists that enclose others, too. As
        references usually follow their targets, later ends come first, then earlier starts.
        """
        found: dict[int, dict[int, list[Span]]] = {}
        for item, span in self.of_kind(kind):
            found.setdefault(int(self.items.lists[item]), {}).setdefault(item, []).append(span)
        lists = {number: list(items.values()) for number, items in found.items()}

        def order(number: int) -> tuple[int, int, int]:
            stop = max(stop for item in lists[number] for _, stop in item)
            return -stop, lists[number][0][0][0], -number

        return {number: lists[number] for number in sorted(lists, key=order)}

    # -- applying an edit --------------------------------------------------------------

    def surviving(self, data: bytes, cuts: Cuts, *, of_bytes: bool) -> tuple[Mask, Mask]:
        """Return which places and which items survive cuts: masks of shapes (P,) and (I,)."""
        weights = np.ones(256, dtype=np.int64)
        if not of_bytes:
            weights[list(BLANKS + LINE_ENDS)] = 0
        nonblank = np.concatenate(([0], np.cumsum(weights[np.frombuffer(data, dtype=np.uint8)])))
        deletes = without_text(cuts)
        if not of_bytes:
            deletes[[cut for cut, text in cuts.texts.items() if not text.strip()]] = True
        # Measure in offsets that skip white space.
        gone = Moved(Cuts(nonblank[cuts.starts[deletes]], nonblank[cuts.stops[deletes]], {}))
        starts, stops = nonblank[self.spans.starts], nonblank[self.spans.stops]
        cut = gone.gone(stops) - gone.gone(starts)
        is_name = self.items.kinds[self.spans.items] == Kind.NAME
        survives: Mask = cut < np.where(is_name, 1, stops - starts)
        survives &= ~self._inside_replacement(Cuts(cuts.starts[~deletes], cuts.stops[~deletes], {}))
        items = np.bincount(self.spans.items[survives], minlength=self.items.lists.size)
        return survives, (self.items.kinds == Kind.UNWRITTEN) | (items > 0)

    def _inside_replacement(self, cuts: Cuts) -> Mask:
        """Return which places are smaller than a replaced span around them: a mask (P,)."""
        if not cuts.starts.size:
            return np.zeros(self.spans.starts.size, dtype=np.bool_)
        cut = np.searchsorted(cuts.starts, self.spans.starts, side="right") - 1
        before = self.spans.starts - cuts.starts[cut]
        after = cuts.stops[cut] - self.spans.stops
        part: Mask = (cut >= 0) & (after >= 0) & (before + after > 0)
        return part

    def partner_cuts(self, present: Mask) -> Cuts:
        """Return cuts that remove each present item whose group has lost an item."""
        groups = self.items.groups
        gone = np.zeros(groups.max(initial=-1) + 1, dtype=np.bool_)
        gone[groups[~present]] = True
        cut = self.spans.at((present & gone[groups])[self.spans.items])
        return Cuts(cut.starts, cut.stops, {})

    def substitutes(self, present: Mask) -> Offsets:
        """Return the item that references to each item should use after the edit: shape (I,).

        A removed item is replaced by the nearest present item of its list and kind: the one before,
        otherwise the one after it; for a label, the reverse. -1 if no such item is present.
        """
        group = self.items.lists * len(Kind) + self.items.kinds
        order = np.argsort(group, kind="stable")
        group, here, at = group[order], present[order], np.arange(order.size)
        before = np.maximum.accumulate(np.where(here, at, -1))
        after = np.minimum.accumulate(np.where(here, at, at.size)[::-1])[::-1]
        has_before = before >= np.searchsorted(group, group, side="left")
        has_after = after < np.searchsorted(group, group, side="right")
        forward = has_after & (~has_before | (self.items.kinds[order] == Kind.LABEL))
        chosen = np.where(forward, after, np.where(has_before, before, -1))
        found = np.empty_like(order)
        found[order] = np.where(chosen < 0, -1, order[chosen])
        return found

    def after_edit(self, moved: Moved, survives: Mask, present: Mask, new_items: Offsets) -> Places:
        """Return the surviving places at their new offsets, with their items renumbered.

        `new_items` has the new index of each item: the number of present items before it.
        """
        spans = self.spans.at(survives).moved(moved)
        return Places(replace(spans, items=new_items[spans.items]), self.items.at(present))
