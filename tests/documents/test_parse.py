"""Parse: which edits of a document are allowed, and at what price."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parsing.parse import Parse, parse
from nubbin.documents.spans import Replacement

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
    spans: list[Replacement] = []
    for start, stop in sorted(data.draw(st.lists(st.sampled_from(inside), max_size=4))):
        if not spans or spans[-1].stop < start:
            spans.append(Replacement(start, stop))
    after = parsed.edited(spans)
    assert after is not None
    assert parsed.allows_edit(spans) == (after.errors <= parsed.errors)


def test_what_is_read_otherwise_alone_is_judged_in_the_whole_document() -> None:
    parsed = parse(b"<?php\n" + b"function f($a) { return g($a, 1); }\n" * 40, "php")
    assert parsed is not None
    at = parsed.data.index(b"{", len(parsed.data) // 2)
    assert not parsed.allows_edit([Replacement(at, at + 1)])
    assert parsed.allows_edit([Replacement(at + 1, at + 1 + len(b" return g($a, 1);"))])


def test_a_small_edit_is_read_with_what_is_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = parse(b"".join((SOUND, BROKEN)[i % 2] % i for i in range(40)), "c")
    assert parsed is not None
    read: list[int] = []

    def noted(data: bytes, *more: Any) -> Parse | None:
        read.append(len(data))
        return parse(data, *more)

    monkeypatch.setattr("nubbin.documents.parsing.parse.parse", noted)
    near, far = (parsed.data.index(name) for name in (b"int f20", b"int f30"))
    assert not parsed.allows_edit([Replacement(near, near + 5)])
    assert parsed.allows_edit([Replacement(at, at + len(SOUND)) for at in (near, far)])
    assert 0 < max(read) < len(parsed.data) / 8


def test_what_little_is_left_is_read_without_the_tree_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = parse(b"".join(SOUND % i for i in range(40)), "c")
    assert parsed is not None
    trees: list[object] = []

    def noted(data: bytes, language: str, old: Any = None) -> Parse | None:
        trees.append(old)
        return parse(data, language, old)

    monkeypatch.setattr("nubbin.documents.parsing.parse.parse", noted)
    size = len(parsed.data)
    assert parsed.edited([Replacement(0, size - len(SOUND))])
    assert parsed.edited([Replacement(0, len(SOUND))])
    assert [tree is None for tree in trees] == [True, False]


def test_a_parse_lets_go_of_its_document() -> None:
    data = b"".join(SOUND % i for i in range(40))
    held = sys.getrefcount(data)
    assert parse(data, "c") is not None
    assert sys.getrefcount(data) == held
