import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.text.figures import clock, count, counted, duration, rate, share


def test_counts_set_thousands_apart() -> None:
    assert count(48_213) == "48,213"
    assert counted(1, "query") == "1 query"
    assert counted(0, "query") == "0 queries"
    assert counted(1_204, "line") == "1,204 lines"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (0, 10, "0 %"),
        (0, 0, "0 %"),
        (10, 10, "100 %"),
        (975, 1000, "97.5 %"),
        (48_182, 48_213, "99.936 %"),
        (282_092, 282_103, "99.9961 %"),
        (32_990, 33_022, "99.903 %"),
        (10**12 - 1, 10**12, "99.999999999 %"),
    ],
)
def test_shares(part: int, whole: int, text: str) -> None:
    assert share(part, whole) == text


@given(
    st.integers(1, 10**9).flatmap(
        lambda whole: st.tuples(st.integers(0, whole - 1), st.just(whole))
    )
)
def test_less_than_all_is_never_shown_as_all(case: tuple[int, int]) -> None:
    assert float(share(*case).removesuffix(" %")) < 100


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (42.9, "0:42"), (725, "12:05"), (3_723, "1:02:03")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.042, "42 ms"),
        (0.9996, "1.0 s"),
        (8.34, "8.3 s"),
        (9.97, "10 s"),
        (59.4, "59 s"),
        (59.7, "1 min 0 s"),
        (725, "12 min 5 s"),
        (3_720, "1 h 2 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0, ""),
        (1_412.3, "1,412/s"),
        (9.96, "10/s"),
        (3.21, "3.2/s"),
        (0.2, "12/min"),
        (0.01, "36/h"),
    ],
)
def test_rates(per_second: float, text: str) -> None:
    assert rate(per_second) == text
