"""The theorems of record/limits.md speak of the constants in the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nubbin_core.minimizers.bayesian import auto, other_sets, ragged, rivals, units

PAGE = " ".join((Path(__file__).parents[2] / "record/limits.md").read_text().split())
NUMBERS = {2: "two", 6: "six", 8: "Eight"}
PAY = f"d^{rivals._PAY_POWER} / {1 / rivals._PAY:.0f}"
UNIT_SEARCHES = 1 + len(auto.RAGGED)  # one, and one after each search for unequal groups
# Each may try four ends, and divides 16 four times.
MOST_PARTS = UNIT_SEARCHES * 4 * (units._UNITS[-1].bit_length() - 1)


@pytest.mark.parametrize(
    "said",
    [
        f"a budget of {auto._QUERIES_PER_ELEMENT}n queries",
        f"{NUMBERS[auto.MANY_VIOLATIONS]} such successes of later rounds",
        f"after {NUMBERS[auto.VIOLATIONS]} violations",
        f"one of the k = {len(auto.FALLBACKS)} fallbacks",
        f"F + {2 * UNIT_SEARCHES} (log2 N + 1) + {MOST_PARTS + 2 * ragged._LONGEST} + D"
        f" + {auto._QUERIES_PER_ELEMENT}n + 4k max(n, Q)",
        f"pays max(1 - 2c, 0) {PAY} of a query, each query of later rounds {PAY}",
        f"costs a rival 1, a success 1/{1 / rivals._SUCCESS:.0f}",
        f"any query 1/{1 / rivals._LEADING:.0f} while the rival",
        f"F + (N/m)^{rivals._PAY_POWER} (log2 N + 8 k (Q + 1) + 8)",
        f"first tries {NUMBERS[other_sets._COMBS]} *combs*",
        f"at each end it may ask {NUMBERS[ragged._LONGEST]} queries",
        f"of {ragged.MIN_ELEMENTS_RAGGED} elements or more",
    ],
)
def test_the_page_states_the_constants_of_the_code(said: str) -> None:
    assert re.search(re.escape(said), PAGE, re.IGNORECASE), said


def test_no_removal_succeeds_for_units_of_several_lengths() -> None:
    """The sum of theorem 8. It falls with the length, so longer removals add nothing."""
    primes = (2, 3, 5, 7, 11)
    sums = (
        sum(0.6 ** (length // u) for u in primes if length % u == 0) for length in range(2, 5_000)
    )
    assert max(sums) == pytest.approx(0.6)
