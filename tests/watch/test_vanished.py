"""The parts of two candidates are theirs, whatever these are."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nubbin.watch.vanished import Fate, Part, parts

texts = st.text("ab_ \n(é", max_size=30).map(str.encode) | st.binary(max_size=30)


def made(found: list[Part], without: Fate) -> bytes:
    return b"".join(part.data for part in found if part.fate is not without)


@given(texts, texts, st.booleans())
@example(b"int a;\n" * 600, b"", False)
@example(b"int a;\nint b;\n" * 600, b"int a;\n" * 600, False)
def test_the_parts_make_both_candidates(before: bytes, now: bytes, binary: bool) -> None:
    found = parts(before, now, binary=binary)
    assert made(found, Fate.NEW) == before
    assert made(found, Fate.GONE) == now
    assert all(part.data for part in found)


@given(st.text("abé ", max_size=20), st.text("abé ", max_size=20))
def test_no_part_of_a_text_begins_inside_of_a_letter(before: str, now: str) -> None:
    for part in parts(before.encode(), now.encode()):
        part.data.decode()


def test_words_stay_whole() -> None:
    assert parts(b"int fact = faces;", b"int face = faces;") == [
        Part(Fate.KEPT, b"int "),
        Part(Fate.GONE, b"fact"),
        Part(Fate.NEW, b"face"),
        Part(Fate.KEPT, b" = faces;"),
    ]


@pytest.mark.parametrize("fate", [Fate.GONE, Fate.NEW])
def test_a_deletion_is_gone_and_an_insertion_is_new(fate: Fate) -> None:
    longer, shorter = b"if (a) { b(); c(); }", b"if (a) { c(); }"
    both = (longer, shorter) if fate is Fate.GONE else (shorter, longer)
    assert [part.fate for part in parts(*both)] == [Fate.KEPT, fate, Fate.KEPT]
