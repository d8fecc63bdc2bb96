"""Which parts of a document, or elements of a list, use which others."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain

#: What comes before the first part of a chain.
NO_USER = -1


class Uses:
    """Element i of N uses the elements `targets[starts[i]:starts[i + 1]]`.

    `starts` has N + 1 numbers. Its maker decides what counts as a use.
    """

    __slots__ = ("starts", "targets")

    def __init__(self, starts: Sequence[int], targets: Sequence[int]):
        self.starts, self.targets = starts, targets

    @classmethod
    def of_each(cls, used: Iterable[Collection[int]]) -> Uses:
        """Return the uses of elements each of which uses some others."""
        each = [*used]
        return cls([0, *accumulate(map(len, each))], [*chain(*each)])

    @classmethod
    def none(cls, n: int) -> Uses:
        """Return n elements none of which uses another."""
        return cls((0,) * (n + 1), ())

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, element: int) -> Sequence[int]:
        """Return the elements that one uses."""
        return self.targets[self.starts[element] : self.starts[element + 1]]

    def layers(self, roots: Iterable[int], cut: Collection[int] = ()) -> Iterator[list[int]]:
        """Yield the roots, the other elements that these use, what those use, and so on.

        Each element is in one layer; those that are `cut` are in none. Linear in the uses.
        """
        reached = {*cut}
        layer = [each for each in dict.fromkeys(roots) if each not in reached]
        reached.update(layer)
        while layer:
            yield layer
            below = dict.fromkeys(chain(*map(self.of, layer)))
            layer = [each for each in below if each not in reached]
            reached.update(layer)

    def reach(self, roots: Iterable[int], cut: Collection[int] = ()) -> set[int]:
        """Return the roots and all that they need, without elements that are `cut`."""
        return {*chain(*self.layers(roots, cut))}

    def chains(self, weights: Sequence[int], starts: Iterable[Collection[int]]) -> dict[int, int]:
        """Return for each element that is reached the one before it on its chain, lightest first.

        A chain weighs what its elements do, which are at least 0. It begins at one of the first
        `starts` that leads there, before which comes `NO_USER`. An element comes after the one
        before it. Dijkstra (1959); costs N log N for N uses.
        """
        users: dict[int, int] = {}
        for some in starts:
            ahead = [(weights[each], each, NO_USER) for each in some]
            heapq.heapify(ahead)
            while ahead:
                weight, element, user = heapq.heappop(ahead)
                if element not in users:
                    users[element] = user
                    for used in self.of(element):
                        if used not in users:
                            heapq.heappush(ahead, (weight + weights[used], used, element))
        return users
