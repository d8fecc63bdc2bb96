"""Parse: which edits of a document are allowed, and at what price."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parse import Parse, parse
from nubbin.documents.replacement import Replacement

SOUND, BROKEN = b"int f%d(int a) { g(a, 1); return a + 2; }\n", b"int f%d() { return 1 + ; }\n"


@given(st.lists(st.sampled_from([SOUND, BROKEN]), min_size=30, max_size=40), st.data())
def test_an_edit_is_judged_as_in_the_whole_document(
    functions: list[bytes], data: st.DataObject
) -> None:
    parsed = parse(b"".join(each % i for i, each in enumerate(functions)), "c")
    assert parsed is not None
    numbers = iter(parsed.rows().numbers)
    nodes = zip(numbers, numbers, numbers, numbers, strict=True)
    inside = [span for *span, depth, _ in nodes if depth > 3]  # in statements: no braces
    start, stop = data.draw(st.sampled_from(inside))
    after = parsed.edited([Replacement(start, stop)])
    assert after is not None
    assert parsed.allows_edit([Replacement(start, stop)]) == (after.errors <= parsed.errors)


def test_a_small_edit_is_read_with_what_is_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = parse(b"".join((SOUND, BROKEN)[i % 2] % i for i in range(40)), "c")
    assert parsed is not None
    read: list[int] = []

    def noted(data: bytes, *more: Any) -> Parse | None:
        read.append(len(data))
        return parse(data, *more)

    monkeypatch.setattr("nubbin.documents.parse.parse", noted)
    at = parsed.data.index(b"int f20")
    assert not parsed.allows_edit([Replacement(at, at + 5)])
    assert 0 < max(read) < len(parsed.data) / 8


def test_a_parse_lets_go_of_its_document() -> None:
    data = b"".join(SOUND % i for i in range(40))
    held = sys.getrefcount(data)
    assert parse(data, "c") is not None
    assert sys.getrefcount(data) == held
