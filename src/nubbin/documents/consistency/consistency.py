"""Keep the numbers of a file consistent with the rest of it through every edit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    Region,
)
from nubbin.documents.consistency.numbers import Numbers, Regions
from nubbin.documents.consistency.places import Moved, Places
from nubbin.documents.outlines.lexis import element_around, unbalanced
from nubbin.documents.splice import (
    Cuts,
    Layout,
    Mask,
    Offsets,
    Span,
    apart,
    joined,
    line_around,
)

#: Kinds of items whose positions a text may seem to have by chance.
_POINTED_TO = (Kind.PART, Kind.NAME, Kind.ELEMENT, Kind.CELL)


@dataclass(frozen=True, eq=False)
class Consistency:
    """The numbers of one file that follow from the rest of it, and the items they follow from."""

    places: Places
    # Per list, shape (L,): the sigil before each reference to its items. Per sigil: the placeholder
    # for a removed definition.
    sigils: Sequence[bytes]
    placeholders: Mapping[bytes, Placeholder]
    numbers: Numbers
    regions: Regions
    of_bytes: bool

    @classmethod
    def of(
        cls, data: bytes, found: Sequence[Hypothesis], pairs: Sequence[Sequence[Items]] = ()
    ) -> Consistency:
        """Return the consistency of a file; if numbers overlap, the first is used.

        `pairs` are lists whose items are removed together: see `Places.of`.
        """
        pairs = [*pairs, *(pair for each in found for pair in each.pairs)]
        taken: set[int] = set()
        chosen = _without_overlaps((number for each in found for number in each.numbers), taken)
        regions = _without_overlaps((region for each in found for region in each.regions), taken)
        lists = _lists_of(found, chosen, pairs)
        begins = accumulate((len(each.places) for each in lists), initial=0)
        return cls(
            places=Places.of(lists, pairs),
            sigils=[each.sigil for each in lists],
            placeholders={
                sigil: text for each in found for sigil, text in each.placeholders.items()
            },
            numbers=Numbers.of(data, chosen, dict(zip(lists, begins, strict=False))),
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
        spans = (span for span, text in self._dangling(cuts, present) if text is None)
        elements = [*filter(None, (element_around(data, span) for span in spans))]
        return joined(self.places.partner_cuts(present), _cuts(elements))

    def _placeholder_cuts(self, data: bytes, cuts: Cuts, present: Mask) -> Cuts:
        found = [(span, text) for span, text in self._dangling(cuts, present) if text is not None]
        texts = [apart(data, *span, text) for span, text in found]
        return _cuts([span for span, _ in found], texts)

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


def _cuts(spans: Sequence[Span], texts: Sequence[bytes] = ()) -> Cuts:
    starts, stops = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    return Cuts(starts, stops, dict(enumerate(texts)))


def _lists_of(
    found: Sequence[Hypothesis], numbers: Sequence[Number], pairs: Iterable[Sequence[Items]]
) -> list[Items]:
    """Return all lists to track, once each: those of numbers first."""
    counted = (number.items for number in numbers)
    uncounted = (each.items for each in found if each.of_bytes or not each.numbers)
    within = chain.from_iterable(each.within for each in found)
    return [*dict.fromkeys(chain(counted, uncounted, within, *pairs))]


_Placed = TypeVar("_Placed", Number, Region)


def _without_overlaps(numbers: Iterable[_Placed], taken: set[int]) -> list[_Placed]:
    """Return the numbers, sorted, that overlap no earlier one; adds their bytes to `taken`."""
    chosen = []
    for number in numbers:
        if taken.isdisjoint(range(number.start, number.stop)):
            taken.update(range(number.start, number.stop))
            chosen.append(number)
    return sorted(chosen, key=lambda number: number.start)
