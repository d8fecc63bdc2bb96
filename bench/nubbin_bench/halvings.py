"""How the size falls in a run: queries and seconds until a half, a quarter, ... was left.

In a row it is a text such as `0:0.00 3:0.41 9:1.20`. All was left after no query; at most a half of
the bytes was left after 3 queries and 0.41 seconds of the test; at most a quarter after 9 queries.
"""

from __future__ import annotations

from collections.abc import Iterable

from nubbin import Verdict
from nubbin_bench.rows import Row


def halvings(before: int, queries: Iterable[tuple[int, str, float]]) -> str:
    """Return the text for a run on `before` bytes, down to a single one.

    `queries` are the bytes, the verdict and the seconds of each, in order.
    """
    points, left, passed = ["0:0.00"], before / 2, 0.0
    for number, (size, verdict, seconds) in enumerate(queries, 1):
        passed += seconds
        while verdict == Verdict.INTERESTING.value and size <= left and left >= 1:
            points.append(f"{number}:{passed:.2f}")
            left /= 2
    return " ".join(points)


def points(row: Row) -> list[tuple[int, float]]:
    """Return the queries and seconds until 1, 1/2, 1/4, ... was left; empty if nobody knows."""
    pairs = (point.split(":") for point in row.halvings.split())
    return [(int(queries), float(seconds)) for queries, seconds in pairs]
