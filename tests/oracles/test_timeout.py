from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.oracle import Timeout


@pytest.fixture(autouse=True, scope="module")
def time_enough() -> None:
    """Keep the usual limits here."""


@given(st.lists(st.floats(0, 1000), min_size=1))
def test_ten_times_the_slowest_and_a_second_at_least(runs: list[float]) -> None:
    timeout = Timeout()
    assert timeout.limit == 300
    for number, seconds in enumerate(runs, 1):
        timeout.learn(seconds)
        assert timeout.limit >= 10 * seconds
        if any(runs[:number]):
            assert timeout.limit == max(1.0, 10 * max(runs[:number]))
