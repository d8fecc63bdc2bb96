"""Claims of the sources on small lists, where they can be worked out by hand."""

from __future__ import annotations

import pytest

from nubbin.bench.probes import plain_probe
from nubbin.bench.small_lists import asked_about, padding


def test_filling_up_a_list_of_three_costs_more_than_a_query_a_size() -> None:
    """Both sizes, and single elements again after the filler is gone: 2 + 4 + 3 queries."""
    assert len(asked_about(3, (0, 1, 2))) == 5
    assert len(asked_about(4, (0, 1, 2))) == 9


def test_what_is_left_of_a_chunk_is_asked_about_again() -> None:
    subsets = [list(subset) for subset in asked_about(4, (0, 1, 2))]
    assert subsets.count([0, 1]) == 2


def test_every_set_of_essential_elements_is_a_problem() -> None:
    rows = padding(6).splitlines()[2:]
    counted = {row.split("|")[1].strip(): row.split("|")[3].strip() for row in rows}
    other = str(2**3 - 1 + 2**5 - 1 + 2**6 - 1)
    assert counted == {
        "C(2^n) - n <= C(N)": other,
        "C(N) <= C(2^n)": other,
        "no subset is asked about twice, N = 2^n": str(2**2 - 1 + 2**4 - 1),
        "no subset is asked about twice, other N": other,
    }


@pytest.mark.parametrize(("block", "calls"), [(1, 2), (2, 4), (3, 4), (4, 6), (5, 6), (7, 6)])
def test_the_plain_probe_doubles_and_halves(block: int, calls: int) -> None:
    assert plain_probe(block) == calls
