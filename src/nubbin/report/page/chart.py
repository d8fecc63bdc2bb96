"""Compute a chart of sizes over queries or time, for an SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nubbin.text.figures import count, duration

#: The plot in the units of its SVG, and the room around it for labels.
WIDTH, HEIGHT = 440, 180
LEFT, RIGHT, ABOVE, BELOW = 72, 28, 8, 28
_MAX_TICKS = 5
#: A shorter axis is drawn up to 1, because its labels would be equal.
_MIN_END = 1e-3
#: The distances of ticks on an axis of time.
_SPANS_S = tuple(
    unit * number
    for unit, numbers in (
        (1, (1, 2, 5, 10, 20, 30)),
        (60, (1, 2, 5, 10, 20, 30)),
        (3600, (1, 2, 5, 10)),
    )
    for number in numbers
)


@dataclass(frozen=True, slots=True)
class Chart:
    """A line of steps on a logarithmic y axis, so that each halving looks the same.

    `line` is a path of the SVG, and `end` the last value on the x axis. Ticks are places in the
    units of the SVG, with labels.
    """

    unit: str
    line: str
    end: float
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]


def chart(unit: str, past: Sequence[float], sizes: Sequence[int], end: float) -> Chart:
    """Return the chart of sizes in bytes over `queries` or `seconds`, up to an end; linear."""
    end = max(end, past[-1])
    end = end if end >= _MIN_END else 1
    low = math.floor(math.log10(max(min(sizes), 1)))  # 10**low to 10**high encloses all sizes
    high = max(math.ceil(math.log10(max(*sizes, 1))), low + 1)

    def x(value: float) -> float:
        return LEFT + WIDTH * value / end

    def y(size: int) -> float:
        return HEIGHT * (1 - (math.log10(max(size, 1)) - low) / (high - low)) + ABOVE

    points = _visible([(x(value), y(size)) for value, size in zip(past, sizes, strict=True)])
    path = "".join(f"H{at:.1f}V{height:.1f}" for at, height in points)
    decades = range(low, high + 1, math.ceil((high - low) / _MAX_TICKS))
    values = _marks(unit, end)
    return Chart(
        unit,
        f"M{LEFT} {y(sizes[0]):.1f}{path}H{x(end):.1f}",
        end,
        [(x(value), _label(unit, value)) for value in values],
        [(y(10**decade), count(10**decade)) for decade in decades],
    )


def _visible(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    last = (-math.inf, -math.inf)
    for point in points:
        if point[0] - last[0] >= 0.5 or abs(point[1] - last[1]) >= 0.5:
            yield point
            last = point
    if points and last != points[-1]:
        yield points[-1]


def _marks(unit: str, end: float) -> list[float]:
    if unit == "seconds" and _SPANS_S[0] * _MAX_TICKS <= end <= _SPANS_S[-1] * _MAX_TICKS:
        distance = float(next(span for span in _SPANS_S if span * _MAX_TICKS >= end))
    else:
        power = 10 ** math.floor(math.log10(end / _MAX_TICKS))
        distance = next(n * power for n in (1, 2, 5, 10) if n * power * _MAX_TICKS >= end * 0.999)
        distance = distance if unit == "seconds" else max(1, distance)
    return [number * distance for number in range(int(end / distance) + 1)]


def _label(unit: str, value: float) -> str:
    if unit == "queries":
        return count(round(value))
    text = duration(value) if value else "0"
    return text.removesuffix(" 0 s").removesuffix(" 0 min").replace(".0 s", " s")


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
