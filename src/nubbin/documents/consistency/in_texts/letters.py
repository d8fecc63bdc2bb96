"""Brackets that are letters: what stands between strings whose lengths come before them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from nubbin.documents.consistency.items import Items
from nubbin.documents.consistency.regions import Region
from nubbin.documents.splice import Span

#: These are no brackets.
_OTHERS = frozenset(b"0123456789+-.,;:= \t\r\n")


@dataclass
class _Group:
    """What one bracket opens: where, and the strings and groups in it."""

    opening: int
    start: int
    inside: list[Span] = field(default_factory=list)
    has_keys: bool = True  # each other one of `inside` is a string, the first one as well


def lists_between(data: bytes, strings: Sequence[Region]) -> list[Items]:
    """Return the lists of a text of strings and brackets, if one letter closes what others open.

    Where strings and others stand by turns, wherever the letter opens something, a pair is an item.
    """
    ends = [0, *(bound for each in strings for bound in (each.start, each.last)), len(data)]
    marks = [at for gap in zip(ends[::2], ends[1::2], strict=True) for at in range(*gap)]
    marks = [at for at in marks if data[at] not in _OTHERS]
    closing = data[marks[-1]] if marks else 0
    if 2 * sum(data[at] == closing for at in marks) != len(marks):
        return []
    opened = [_Group(0, 0)]
    groups: list[_Group] = []
    tokens = [(at, at) for at in marks] + [(each.start, each.last) for each in strings]
    for start, stop in sorted(tokens):
        if start < stop:
            opened[-1].inside.append((start, stop))
        elif data[start] != closing:
            opened.append(_Group(data[start], start))
        elif len(opened) == 1:
            return []
        else:
            group = opened.pop()
            groups.append(group)
            around = opened[-1]
            around.has_keys &= len(around.inside) % 2 == 1
            around.inside.append((group.start, start + 1))
    by_letter: defaultdict[int, list[_Group]] = defaultdict(list)
    for group in groups:
        by_letter[group.opening].append(group)
    return [items for alike in by_letter.values() for items in _items(alike)]


def _items(alike: Sequence[_Group]) -> list[Items]:
    """Return the lists that one letter opens, of two items or more."""
    in_pairs = all(group.has_keys and len(group.inside) % 2 == 0 for group in alike)
    step = 2 if in_pairs else 1
    found = []
    for group in alike:
        spans = group.inside
        units = [(spans[at][0], spans[at + step - 1][1]) for at in range(0, len(spans), step)]
        found += [Items([[unit] for unit in units])] if len(units) > 1 else []
    return found
