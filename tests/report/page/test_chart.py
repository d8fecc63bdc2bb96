from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from nubbin.report.page.html import Chart, chart

SIZES = st.lists(st.integers(0, 10**9), min_size=1, max_size=50)


@given(SIZES, st.floats(0, 10**6), st.sampled_from(["queries", "seconds"]), st.data())
def test_all_is_inside(sizes: list[int], rest: float, unit: str, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.floats(0, 10**5), min_size=len(sizes), max_size=len(sizes)))
    past = sorted(steps)
    drawn = chart(unit, past, sizes, past[-1] + rest)
    numbers = [float(each) for each in re.findall(r"(?<=[HM])[\d.]+", drawn.line)]
    assert numbers == sorted(numbers)
    assert all(Chart.LEFT <= x <= Chart.LEFT + Chart.WIDTH + 0.1 for x in numbers)
    heights = [float(each) for each in re.findall(r"(?<=V)[-\d.]+", drawn.line)]
    assert all(Chart.ABOVE - 0.1 <= y <= Chart.ABOVE + Chart.HEIGHT + 0.1 for y in heights)
    assert all(Chart.LEFT <= at <= Chart.LEFT + Chart.WIDTH + 0.1 for at, _ in drawn.x_ticks)
    assert all(
        Chart.ABOVE - 0.1 <= at <= Chart.ABOVE + Chart.HEIGHT + 0.1 for at, _ in drawn.y_ticks
    )
    assert 1 <= len(drawn.x_ticks) <= 11
    assert 2 <= len(drawn.y_ticks) <= 11


def test_labels() -> None:
    drawn = chart("seconds", [0, 100], [50_000, 20], 290)
    assert [label for _, label in drawn.x_ticks] == ["0", "1 min", "2 min", "3 min", "4 min"]
    assert [label for _, label in drawn.y_ticks] == ["10", "100", "1,000", "10,000", "100,000"]
    drawn = chart("queries", [0, 3], [100, 10], 4)
    assert [label for _, label in drawn.x_ticks] == ["0", "1", "2", "3", "4"]


def test_no_time_at_all() -> None:
    drawn = chart("seconds", [0.0], [10], 5e-324)
    assert (drawn.end, next(label for _, label in drawn.x_ticks)) == (1, "0")


def test_a_hundred_thousand_steps_are_no_long_line() -> None:
    sizes = list(range(100_000, 0, -1))
    drawn = chart("queries", list(range(100_000)), sizes, 100_000)
    assert len(drawn.line) < 40_000
