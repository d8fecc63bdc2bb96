"""Which elements of a list, or parts of a document, use which others."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from types import MappingProxyType
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)

#: The user of the first element of a chain.
NO_USER = -1
#: No element is edited.
_NONE: Mapping[int, Collection[int]] = MappingProxyType({})


class Uses:
    """Element i of N uses the elements `targets[starts[i]:starts[i + 1]]`; N + 1 `starts`."""

    __slots__ = ("starts", "targets")

    def __init__(self, starts: Sequence[int], targets: Sequence[int]):
        self.starts, self.targets = starts, targets

    @classmethod
    def of_each(cls, used: Iterable[Collection[int]]) -> Uses:
        """Return the uses of elements, given the elements that each one uses."""
        each = [*used]
        return cls([0, *accumulate(map(len, each))], [*chain(*each)])

    @classmethod
    def by_name(
        cls, named: Iterable[Iterable[Name]], declared: Mapping[Name, Collection[int]]
    ) -> Uses:
        """Return the uses of elements that use the others that declare what they name."""
        each = (declaring(names, declared) - {at} for at, names in enumerate(named))
        return cls.of_each(map(sorted, each))

    @classmethod
    def none(cls, n: int) -> Uses:
        return cls((0,) * (n + 1), ())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, element: int) -> Sequence[int]:
        return self.targets[self.starts[element] : self.starts[element + 1]]

    @property
    def unused(self) -> set[int]:
        """The elements that no other uses."""
        return set(range(len(self))).difference(self.targets)

    def layers(
        self, roots: Iterable[int], edited: Mapping[int, Collection[int]] = _NONE
    ) -> Iterator[list[int]]:
        """Yield the roots, then the elements that they use, then those that these use, and so on.

        Each element is in one layer. For elements in `edited`, its uses replace the former ones.
        Linear in the uses.
        """
        layer = [*dict.fromkeys(roots)]
        reached = {*layer}
        while layer:
            yield layer
            uses = (edited[each] if each in edited else self.of(each) for each in layer)
            layer = [each for each in dict.fromkeys(chain(*uses)) if each not in reached]
            reached.update(layer)

    def reach(
        self, roots: Iterable[int], edited: Mapping[int, Collection[int]] = _NONE
    ) -> set[int]:
        """Return the roots and all that they use, directly or not; for `edited`, see `layers`."""
        return {*chain(*self.layers(roots, edited))}

    def chains(self, weights: Sequence[int], starts: Iterable[Collection[int]]) -> dict[int, int]:
        """Return the user of each reached element on the lightest chain that leads to it.

        A chain begins in the first of `starts` that leads to the element; its first element has
        `NO_USER`. Its weight is the sum of its elements' weights, each at least 0. Users come
        before the elements they use. Dijkstra (1959); costs N log N for N uses.
        """
        users: dict[int, int] = {}
        for roots in starts:
            ahead = [(weights[each], each, NO_USER) for each in roots]
            heapq.heapify(ahead)
            while ahead:
                weight, element, user = heapq.heappop(ahead)
                if element not in users:
                    users[element] = user
                    for used in self.of(element):
                        if used not in users:
                            heapq.heappush(ahead, (weight + weights[used], used, element))
        return users


def by_name(names: Iterable[Iterable[Name]]) -> dict[Name, list[int]]:
    """Return the elements that have each name, in order, given the names of each element."""
    found: defaultdict[Name, list[int]] = defaultdict(list)
    for element, some in enumerate(names):
        for name in some:
            found[name].append(element)
    return dict(found)


def declaring(names: Iterable[Name], declared: Mapping[Name, Collection[int]]) -> set[int]:
    """Return the elements that declare any of some names."""
    return {*chain.from_iterable(declared.get(name, ()) for name in names)}
