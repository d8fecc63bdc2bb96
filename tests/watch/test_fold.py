"""What is shown of a candidate is all of a small one, and little of a large one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.watch.fold import Fate, Piece, pieces

small = st.text("ab_ \n(é", max_size=30).map(str.encode) | st.binary(max_size=30)
large = st.lists(
    st.builds(lambda part, times: part * times, small, st.integers(0, 500)), max_size=6
).map(b"".join)

LINES = [b"int name%d;\n" % number for number in range(9000)]


def joined(found: list[Piece], without: Fate) -> bytes:
    return b"".join(piece.data for piece in found if piece.fate is not without)


@given(large, large)
@examples(15)
@example(b"int a;\n" * 600, b"")
@example(b"".join(LINES), b"".join(LINES[::2]))
def test_the_pieces_make_the_candidate_and_few_are_shown(before: bytes, now: bytes) -> None:
    found = pieces(before, now)
    assert joined(found, Fate.GONE) == now
    assert all(piece.data for piece in found)
    assert sum(len(piece.data) for piece in found if piece.is_shown) <= 20_000
    assert len(found) <= 20_000


@given(small, small)
def test_all_of_a_small_candidate_is_shown(before: bytes, now: bytes) -> None:
    found = pieces(before, now)
    assert joined(found, Fate.NEW) == before
    assert joined(found, Fate.GONE) == now
    assert all(piece.is_shown for piece in found)


@given(st.text("abé ", max_size=20), st.text("abé ", max_size=20))
def test_no_piece_of_a_text_begins_inside_of_a_letter(before: str, now: str) -> None:
    for piece in pieces(before.encode(), now.encode()):
        piece.data.decode()


def test_words_stay_whole() -> None:
    assert pieces(b"int fact = faces;", b"int face = faces;") == [
        Piece(Fate.KEPT, b"int "),
        Piece(Fate.GONE, b"fact"),
        Piece(Fate.NEW, b"face"),
        Piece(Fate.KEPT, b" = faces;"),
    ]


@pytest.mark.parametrize("fate", [Fate.GONE, Fate.NEW])
def test_a_deletion_is_gone_and_an_insertion_is_new(fate: Fate) -> None:
    longer, shorter = b"if (a) { b(); c(); }", b"if (a) { c(); }"
    both = (longer, shorter) if fate is Fate.GONE else (shorter, longer)
    assert [piece.fate for piece in pieces(*both)] == [Fate.KEPT, fate, Fate.KEPT]


def test_a_change_deep_in_a_large_text_is_shown() -> None:
    head, tail = b"".join(LINES[:4000]), b"".join(LINES[4000:])
    above, near, gone, below, rest = pieces(head + b"gone;\n" + tail, head + tail)
    assert [each.is_shown for each in (above, near, gone, below, rest)] == [
        *(False, True, True, True, False)
    ]
    assert gone == Piece(Fate.GONE, b"gone;\n")
    assert near.data.startswith(b"int ")
    assert below.data.endswith(b"\n")


def test_of_a_long_part_that_is_gone_the_middle_is_folded() -> None:
    found = pieces(b"a\n" + b"".join(LINES) + b"z\n", b"a\nz\n")
    assert [(piece.fate, piece.is_shown) for piece in found] == [
        (Fate.KEPT, True),
        (Fate.GONE, True),
        (Fate.GONE, False),
        (Fate.GONE, True),
        (Fate.KEPT, True),
    ]
    assert found[1].data.endswith(b"\n")
