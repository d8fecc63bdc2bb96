"""Where the items of lists stand, and which of them cuts leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from nubbin.documents.consistency.items import Items, Kind
from nubbin.documents.consistency.moved import Moved, SpanTable, Table
from nubbin.documents.splice import BLANKS, LINE_ENDS, Cuts, Mask, Offsets, Span, without_text


@dataclass(frozen=True, eq=False)
class _Written(SpanTable):
    """The places at which items are written, with the index of each item: arrays of shape (P,)."""

    items: Offsets


@dataclass(frozen=True, eq=False)
class _Listed(Table):
    """The items of some lists, list by list: arrays of shape (I,)."""

    lists: Offsets
    kinds: Offsets
    groups: Offsets  # items of one group are removed together


@dataclass(frozen=True, eq=False)
class Places:
    """The items of the lists of one file, and where they stand."""

    spans: _Written
    items: _Listed

    @classmethod
    def of(cls, lists: Sequence[Items], together: Sequence[Sequence[Items]]) -> Places:
        """Return the places of the items of some lists.

        Lists that are `together` have the same number of items. The first items of all of them are
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
        listed = _Listed(numbers, np.array(kinds, dtype=np.int64), groups)
        return cls(_Written(starts, stops, items), listed)

    def joined(self, other: Places, lists: int) -> Places:
        """Return the places of both, if this one has so many lists."""
        spans = replace(other.spans, items=other.spans.items + self.items.lists.size)
        groups = other.items.groups + self.items.groups.max(initial=-1) + 1
        items = replace(other.items, lists=other.items.lists + lists, groups=groups)
        return Places(self.spans.joined(spans), self.items.joined(items))

    def of_kind(self, kind: Kind) -> list[tuple[int, Span]]:
        """Return the items of a kind with each of their places, in the order of these."""
        at = np.flatnonzero(self.items.kinds[self.spans.items] == kind)
        at = at[np.lexsort((self.spans.stops[at], self.spans.starts[at]))]
        spans = self.spans.at(at)
        columns = (each.tolist() for each in (spans.items, spans.starts, spans.stops))
        return [(item, (start, stop)) for item, start, stop in zip(*columns, strict=True)]

    def parts(self, kind: Kind = Kind.PART) -> dict[int, list[list[Span]]]:
        """Return the places of each item of a kind, in order, by the number of its list.

        The list that ends last comes first, and of those that end together, the one that starts
        first: what refers to others mostly follows them, and what holds others ends no earlier.
        """
        found: dict[int, dict[int, list[Span]]] = {}
        for item, span in self.of_kind(kind):
            found.setdefault(int(self.items.lists[item]), {}).setdefault(item, []).append(span)
        lists = {number: list(items.values()) for number, items in found.items()}

        def order(number: int) -> tuple[int, int, int]:
            stop = max(stop for item in lists[number] for _, stop in item)
            return -stop, lists[number][0][0][0], -number

        return {number: lists[number] for number in sorted(lists, key=order)}

    # -- through an edit ---------------------------------------------------------------

    def left(self, data: bytes, cuts: Cuts, *, of_bytes: bool) -> tuple[Mask, Mask]:
        """Return which places are left, and which items: flags of shapes (P,) and (I,)."""
        is_ink = np.ones(256, dtype=np.int64)
        if not of_bytes:
            is_ink[list(BLANKS + LINE_ENDS)] = 0
        ink = np.concatenate(([0], np.cumsum(is_ink[np.frombuffer(data, dtype=np.uint8)])))
        deletes = without_text(cuts)
        if not of_bytes:
            deletes[[cut for cut, text in cuts.texts.items() if not text.strip()]] = True
        # The same cuts of a text from which the white space is left out.
        gone = Moved(Cuts(ink[cuts.starts[deletes]], ink[cuts.stops[deletes]], {}))
        starts, stops = ink[self.spans.starts], ink[self.spans.stops]
        cut = gone.gone(stops) - gone.gone(starts)
        is_name = self.items.kinds[self.spans.items] == Kind.NAME
        stays: Mask = cut < np.where(is_name, 1, stops - starts)
        stays &= ~self._overwritten(Cuts(cuts.starts[~deletes], cuts.stops[~deletes], {}))
        items = np.bincount(self.spans.items[stays], minlength=self.items.lists.size)
        return stays, (self.items.kinds == Kind.UNWRITTEN) | (items > 0)

    def _overwritten(self, cuts: Cuts) -> Mask:
        """Return which places are parts of cuts in whose places a text stands: flags (P,)."""
        if not cuts.starts.size:
            return np.zeros(self.spans.starts.size, dtype=np.bool_)
        cut = np.searchsorted(cuts.starts, self.spans.starts, side="right") - 1
        before = self.spans.starts - cuts.starts[cut]
        after = cuts.stops[cut] - self.spans.stops
        part: Mask = (cut >= 0) & (after >= 0) & (before + after > 0)
        return part

    def doomed(self, there: Mask) -> Cuts:
        """Return cuts of the items that are there, but in a group of one that is not."""
        groups = self.items.groups
        gone = np.zeros(groups.max(initial=-1) + 1, dtype=np.bool_)
        gone[groups[~there]] = True
        doomed = self.spans.at((there & gone[groups])[self.spans.items])
        return Cuts(doomed.starts, doomed.stops, {})

    def substitutes(self, there: Mask) -> Offsets:
        """Return for each item the nearest one before it, of its kind and list, that is there.

        If there is none, it is the nearest one after it; for a label, that is tried first. -1 if
        the list has no item of the kind any more.
        """
        group = self.items.lists * len(Kind) + self.items.kinds
        order = np.argsort(group, kind="stable")
        group, here, at = group[order], there[order], np.arange(order.size)
        before = np.maximum.accumulate(np.where(here, at, -1))
        after = np.minimum.accumulate(np.where(here, at, at.size)[::-1])[::-1]
        has_before = before >= np.searchsorted(group, group, side="left")
        has_after = after < np.searchsorted(group, group, side="right")
        forward = has_after & (~has_before | (self.items.kinds[order] == Kind.LABEL))
        chosen = np.where(forward, after, np.where(has_before, before, -1))
        found = np.empty_like(order)
        found[order] = np.where(chosen < 0, -1, order[chosen])
        return found

    def after(self, moved: Moved, stays: Mask, there: Mask, before: Offsets) -> Places:
        """Return the places that stay, of items that are there, once all has moved.

        `before` is the number of items that are there before each item.
        """
        spans = self.spans.at(stays).moved(moved)
        return Places(replace(spans, items=before[spans.items]), self.items.at(there))
