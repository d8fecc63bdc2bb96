"""A delta gives back the files that it was made of, and a small change makes a small one."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.containers.zstd import zstd
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


def with_head(begin: object, end: object, sizes: object, content: bytes = b"abc") -> bytes:
    head = json.dumps([begin, end, sizes]).encode()
    return len(head).to_bytes(8, "big") + head + zstd.compress(content)


@pytest.mark.parametrize(
    ("packed", "size"),
    [
        (with_head(0, 0, {"a": 4}), 4),
        (with_head(0, 0, {"a": 2}), 2),
        (with_head(0, 0, {"a": 3}), 4),
        (with_head(0, 0, {"a": 4, "b": -1}), 3),
        (with_head(0, 0, {"a": 3.0}), 3),
        (with_head(0, 0, {"a": True, "b": 2}), 3),
        (with_head(5, 0, {"a": 8}), 8),
        (with_head(-1, 0, {"a": 2}), 2),
        (with_head(0, 0, {"a": 10**30}), 10**30),
        (with_head(0, 0, [3]), 3),
        (with_head(0, 0, {}, b""), 1),
        (with_head(0, 0, {"a": 3})[:-1], 3),
        (b"\xff" * 20, 0),
        (b"", 0),
    ],
)
def test_sizes_that_do_not_agree_are_refused(packed: bytes, size: int) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError, zstd.ZstdError)):
        applied(packed, {"base": b"1234"}, size)


def test_nothing_is_unpacked_that_is_larger_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = with_head(0, 0, {"a": 3}, bytes(1 << 20))
    monkeypatch.setattr(zstd, "ZstdDecompressor", None)
    with pytest.raises(ValueError, match="do not agree"):
        applied(packed, {})
