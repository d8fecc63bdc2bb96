from hypothesis import given
from hypothesis import strategies as st

from nubbin.text.figures import curve


def heights(rows: list[str]) -> list[int]:
    """How many dots high each dot column is."""
    bits = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
    return [
        sum(bool((ord(row[x]) - 0x2800) & bit) for row in rows for bit in bits[side])
        for x in range(len(rows[0]))
        for side in (0, 1)
    ]


def test_falls_from_the_full_height_to_one_dot() -> None:
    rows = curve([0, 1, 3], [1_000, 100, 10], end=4, columns=8, rows=2)
    drawn = heights(rows)
    assert drawn[:3] == [8] * 3
    assert drawn[-4:] == [1] * 4
    assert 1 < drawn[8] < 8


def test_a_size_that_never_changed_fills_the_area() -> None:
    assert heights(curve([0], [5], end=0, columns=3, rows=1)) == [4] * 6


@given(
    st.lists(st.tuples(st.floats(0, 100), st.integers(0, 10**9)), min_size=1, max_size=30),
    st.integers(1, 20),
    st.integers(1, 5),
)
def test_fits_its_box_and_never_rises_while_sizes_fall(
    points: list[tuple[float, int]], columns: int, rows: int
) -> None:
    times = sorted(time for time, _ in points)
    sizes = sorted((size for _, size in points), reverse=True)
    drawn = curve(times, sizes, end=100, columns=columns, rows=rows)
    assert [len(row) for row in drawn] == [columns] * rows
    dots = heights(drawn)
    assert dots == sorted(dots, reverse=True)
    assert all(1 <= dot <= 4 * rows for dot in dots)
