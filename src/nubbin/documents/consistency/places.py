"""Track where the items of lists are in a file, and which of them survive an edit.

Each candidate is an edit, so edits are array operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np

from nubbin.documents.consistency.items import Items, Kind
from nubbin.documents.splice import BLANKS, LINE_ENDS, Cuts, Mask, Offsets, Span, without_text


class Moved:
    """The offsets of a document before and after cuts, whose texts are inserted in their places.

    All methods take and return offsets of one shape, and take time linear in them, times the
    logarithm of the number of cuts.
    """

    def __init__(self, cuts: Cuts):
        self._starts, self._stops = cuts.starts, cuts.stops
        lengths = np.zeros(cuts.starts.size, dtype=np.int64)
        lengths[list(cuts.texts)] = [len(text) for text in cuts.texts.values()]
        self._gone = _running(cuts.stops - cuts.starts)
        self._came = _running(lengths)

    def gone(self, offsets: Offsets) -> Offsets:
        """Return how many bytes are cut before each offset."""
        cut = np.searchsorted(self._starts, offsets, side="right") - 1
        if not self._starts.size:
            return np.zeros_like(offsets)
        inside = np.minimum(offsets, self._stops[cut]) - self._starts[cut]
        gone: Offsets = np.where(cut >= 0, self._gone[cut] + inside, 0)
        return gone

    def starts(self, offsets: Offsets) -> Offsets:
        """Return where text from each offset on begins; inside a cut, where its text begins."""
        cut = np.searchsorted(self._starts, offsets, side="right")
        if not self._starts.size:
            return offsets
        inside = (cut > 0) & (offsets < self._stops[cut - 1])
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut - inside]
        return moved

    def stops(self, offsets: Offsets) -> Offsets:
        """Return where text up to each offset ends; inside a cut, where its text ends."""
        cut = np.searchsorted(self._starts, offsets, side="left")
        moved: Offsets = offsets - self.gone(offsets) + self._came[cut]
        return moved


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as columns: each field is an array with a value for each row."""

    def at(self, chosen: Offsets | Mask) -> Self:
        """Return some of the rows."""
        return type(self)(*(column[chosen] for column in vars(self).values()))

    def joined(self, other: Self) -> Self:
        """Return the rows of both."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*map(np.concatenate, columns))


@dataclass(frozen=True, eq=False)
class SpanTable(Table):
    """Spans of a document, and columns that subclasses add: arrays of shape (N,)."""

    starts: Offsets
    stops: Offsets

    def moved(self, moved: Moved) -> Self:
        """Return the rows with all their spans at the offsets after cuts."""
        return replace(self, starts=moved.starts(self.starts), stops=moved.stops(self.stops))


def _running(lengths: Offsets) -> Offsets:
    return np.concatenate(([0], np.cumsum(lengths)))


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
    def of(cls, lists: Sequence[Items], pairs: Sequence[Sequence[Items]]) -> Places:
        """Return the places of the items of some lists.

        Each of `pairs` is some lists of equal length. Their first items are removed together, then
        their second, and so on.
        """
        sizes = [len(each.places) for each in lists]
        ends = np.cumsum([0, *sizes])
        at = {each: slice(*ends[n : n + 2]) for n, each in enumerate(lists)}
        kinds = [kind for each in lists for kind in each.kinds or [Kind.PART] * len(each.places)]
        spans = chain.from_iterable(each.places for each in lists)
        places = [(*span, item) for item, each in enumerate(spans) for span in each]
        starts, stops, items = np.array(places, dtype=np.int64).reshape(-1, 3).T
        groups = np.arange(len(kinds))
        for first, *others in pairs:
            for each in others:
                groups[at[each]] = groups[at[first]]
        numbers = np.repeat(np.arange(len(lists)), sizes)
        listed = _ItemTable(numbers, np.array(kinds, dtype=np.int64), groups)
        return cls(_PlaceTable(starts, stops, items), listed)

    def joined(self, other: Places, list_count: int) -> Places:
        """Return the places of both; the lists of `other` are numbered from `list_count`."""
        spans = replace(other.spans, items=other.spans.items + self.items.lists.size)
        groups = other.items.groups + self.items.groups.max(initial=-1) + 1
        items = replace(other.items, lists=other.items.lists + list_count, groups=groups)
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
