"""A small curve of size over time, drawn in braille."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: Bits of a braille cell's two columns, each from the bottom dot up (Unicode block U+2800).
_COLUMNS = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))


def curve(
    times: Sequence[float], sizes: Sequence[int], *, end: float, columns: int, rows: int
) -> list[str]:
    """Draw the area under `sizes` over `times`: `rows` strings of `columns` cells each.

    Each size holds until the time of the next, and the last until `end`. The height is logarithmic,
    from the smallest size (one dot) to the largest, so that each halving looks the same. Takes time
    O(columns * rows + len(sizes)).
    """
    width, height = 2 * columns, 4 * rows
    levels = _levels(sizes, height)
    cells = [[0] * columns for _ in range(rows)]
    at = 0
    for x in range(width):
        moment = times[0] + (end - times[0]) * (x + 1) / width
        while at + 1 < len(times) and times[at + 1] <= moment:
            at += 1
        for y in range(levels[at]):
            cells[rows - 1 - y // 4][x // 2] |= _COLUMNS[x % 2][y % 4]
    return ["".join(chr(0x2800 + cell) for cell in row) for row in cells]


def _levels(sizes: Sequence[int], height: int) -> list[int]:
    logs = [math.log1p(size) for size in sizes]
    low, high = min(logs), max(logs)
    if low == high:
        return [height] * len(logs)
    return [1 + round((height - 1) * (log - low) / (high - low)) for log in logs]
