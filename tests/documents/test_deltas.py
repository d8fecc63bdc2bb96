"""A delta gives back the files that it was made of, and a small change makes a small one."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.deltas import applied, delta

documents = st.dictionaries(st.text(min_size=1, max_size=5), st.binary(max_size=50), max_size=4)


@given(documents, documents)
def test_there_and_back(files: dict[str, bytes], base: dict[str, bytes]) -> None:
    assert applied(delta(files, base), base) == files


def test_deletions_cost_a_few_bytes_each() -> None:
    base = random.Random(1).randbytes(200_000)
    kept = b"".join(base[at : at + 900] for at in range(0, len(base), 1_000))
    packed = delta({"a": kept}, {"a": base})
    assert len(packed) < 10 * 200
    assert applied(packed, {"a": base}) == {"a": kept}
