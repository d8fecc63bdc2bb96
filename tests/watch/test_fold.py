"""What is shown of a candidate is all of a small one, and little of a large one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.watch.candidate_text import Piece, PieceState, pieces

small = st.text("ab_ \n(é", max_size=30).map(str.encode) | st.binary(max_size=30)
large = st.lists(
    st.builds(lambda part, times: part * times, small, st.integers(0, 500)), max_size=6
).map(b"".join)

LINES = [b"int name%d;\n" % number for number in range(9000)]


def joined(found: list[Piece], without: PieceState) -> bytes:
    return b"".join(piece.data for piece in found if piece.state is not without)


@given(large, large)
@examples(15)
@example(b"int a;\n" * 600, b"")
@example(b"".join(LINES[:2000]), b"".join(LINES[:2000:2]))
def test_the_pieces_make_the_candidate_and_few_are_shown(before: bytes, now: bytes) -> None:
    found = pieces(before, now)
    assert joined(found, PieceState.REMOVED) == now
    assert all(piece.data for piece in found)
    assert sum(len(piece.data) for piece in found if piece.is_shown) <= 20_000
    assert len(found) <= 20_000


@given(small, small)
def test_all_of_a_small_candidate_is_shown(before: bytes, now: bytes) -> None:
    found = pieces(before, now)
    assert joined(found, PieceState.NEW) == before
    assert joined(found, PieceState.REMOVED) == now
    assert all(piece.is_shown for piece in found)


@given(st.text("abé ", max_size=20), st.text("abé ", max_size=20))
def test_no_piece_of_a_text_begins_inside_of_a_letter(before: str, now: str) -> None:
    for piece in pieces(before.encode(), now.encode()):
        piece.data.decode()


def test_words_stay_whole() -> None:
    assert pieces(b"int fact = faces;", b"int face = faces;") == [
        Piece(PieceState.KEPT, b"int "),
        Piece(PieceState.REMOVED, b"fact"),
        Piece(PieceState.NEW, b"face"),
        Piece(PieceState.KEPT, b" = faces;"),
    ]


@pytest.mark.parametrize("state", [PieceState.REMOVED, PieceState.NEW])
def test_a_deletion_is_gone_and_an_insertion_is_new(state: PieceState) -> None:
    longer, shorter = b"if (a) { b(); c(); }", b"if (a) { c(); }"
    both = (longer, shorter) if state is PieceState.REMOVED else (shorter, longer)
    assert [piece.state for piece in pieces(*both)] == [PieceState.KEPT, state, PieceState.KEPT]


def test_a_change_deep_in_a_large_text_is_shown() -> None:
    head, tail = b"".join(LINES[:4000]), b"".join(LINES[4000:])
    above, near, gone, below, rest = pieces(head + b"gone;\n" + tail, head + tail)
    assert [each.is_shown for each in (above, near, gone, below, rest)] == [
        *(False, True, True, True, False)
    ]
    assert gone == Piece(PieceState.REMOVED, b"gone;\n")
    assert near.data.startswith(b"int ")
    assert below.data.endswith(b"\n")


def test_of_a_long_part_that_is_gone_the_middle_is_folded() -> None:
    found = pieces(b"a\n" + b"".join(LINES) + b"z\n", b"a\nz\n")
    assert [(piece.state, piece.is_shown) for piece in found] == [
        (PieceState.KEPT, True),
        (PieceState.REMOVED, True),
        (PieceState.REMOVED, False),
        (PieceState.REMOVED, True),
        (PieceState.KEPT, True),
    ]
    assert found[1].data.endswith(b"\n")
