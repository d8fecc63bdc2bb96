"""The lightest chain of uses that leads to each part of a document."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence

#: What comes before the first part of a chain.
NO_USER = -1


def lightest_chains(
    weights: Sequence[int], starts: Iterable[Collection[int]], uses: Sequence[Collection[int]]
) -> dict[int, int]:
    """Return for each part that is reached the one before it on its chain, the lightest first.

    A chain weighs what its parts do, which are at least 0. It begins at one of the first `starts`
    that leads there, before which comes `NO_USER`; `uses[i]` are the parts that part i uses. So
    a part comes after the one before it. Dijkstra (1959); costs N log N for N uses.
    """
    users: dict[int, int] = {}
    for some in starts:
        ahead = [(weights[part], part, NO_USER) for part in some]
        heapq.heapify(ahead)
        while ahead:
            weight, part, user = heapq.heappop(ahead)
            if part not in users:
                users[part] = user
                for used in uses[part]:
                    if used not in users:
                        heapq.heappush(ahead, (weight + weights[used], used, part))
    return users
