"""No input takes more queries than recorded, or ends larger (tests/ledger.csv).

After a change that is meant, `script/ledger` prints what it did, and `--write` records it; the
commit says why. That all rows together are no worse is checked when the session ends (conftest.py).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.table import CASES, growth, recorded, worse

BEFORE = recorded()


@pytest.mark.parametrize("name", CASES)
def test_no_row_is_worse(name: str, record_property: Callable[[str, object], None]) -> None:
    after = CASES[name].measure()
    record_property("ledger", growth(BEFORE[name], after))
    assert not [*worse(BEFORE[name], after)], f"{after}; see script/ledger"


def test_each_case_has_a_row_and_each_row_a_case() -> None:
    assert [*BEFORE] == [*CASES]
