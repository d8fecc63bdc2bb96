from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.spans import Replacement, replaced
from nubbin.text import differences as module
from nubbin.text.differences import changed, differences

WORDS = st.sampled_from([b"int", b"a", b"b", b"f", b"(", b")", b";", b" ", b"\n", "é".encode()])
TEXTS = st.one_of(st.binary(max_size=40), st.lists(WORDS, max_size=60).map(b"".join))


@given(TEXTS, TEXTS)
def test_the_differences_make_one_text_the_other(old: bytes, new: bytes) -> None:
    parts = differences(old, new)
    assert replaced(old, Replacement(0, len(old)), parts) == new
    ends = [end for start, stop, _ in parts for end in (start, stop)]
    assert ends == sorted(ends)
    assert all(start < stop or text for start, stop, text in parts)


@given(TEXTS, TEXTS, st.integers(0, 60))
def test_the_change_makes_one_text_the_other(old: bytes, new: bytes, first: int) -> None:
    assert replaced(old, Replacement(0, len(old)), [changed(old, new, first)]) == new


def test_of_equal_deletions_it_is_the_next_one() -> None:
    assert [changed(b"baac", b"bac", first) for first in (0, 2, 9)] == [
        *(Replacement(1, 2), Replacement(2, 3), Replacement(2, 3))
    ]
    assert changed(b"aaa", b"aa", 1) == Replacement(1, 2)
    assert changed(b"aab", b"ab", 2) == Replacement(1, 2)


def test_a_word_in_the_place_of_another_is_changed() -> None:
    assert changed(b"f(10)", b"f(0)") == Replacement(2, 3)
    assert changed(b"f(10)", b"g(0)") == Replacement(0, 3, b"g(")


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_lines_that_go_are_deletions(goes: list[bool]) -> None:
    lines = [b"line %d;\n" % number for number in range(len(goes))]
    left = [line for line, gone in zip(lines, goes, strict=True) if not gone]
    parts = differences(b"".join(lines), b"".join(left))
    assert sum(stop - start for start, stop, _ in parts) == sum(map(len, lines)) - sum(
        map(len, left)
    )
    assert not any(text for _, _, text in parts)


def test_a_line_goes_as_a_line() -> None:
    old = b"int first;\nint second;\nint third;\n"
    assert differences(old, b"int first;\nint third;\n") == [Replacement(11, 23)]
    assert differences(old, b"int third;\n") == [Replacement(0, 23)]


def test_words_and_characters_stay_whole() -> None:
    assert differences(b"x = first + 1", b"x = fort + 1") == [Replacement(4, 9, b"fort")]
    assert differences(b"x = first + 1", b"x = fist + 1") == [Replacement(6, 7)]
    assert differences(b"one two", b"onetwo") == [Replacement(3, 4)]
    assert differences("aéèx".encode(), "aèx".encode()) == [Replacement(1, 3)]
    old, new = "x é y".encode(), "x è y".encode()
    assert differences(old, new) == [Replacement(2, 4, "è".encode())]


def test_a_giant_line_that_loses_tokens_is_compared_in_a_moment() -> None:
    tokens = [b'"key%d": [%d, 0], ' % (number % 50, number) for number in range(20_000)]
    old, new = b"".join(tokens), b"".join(tokens[::3])
    parts = differences(old, new)
    assert replaced(old, Replacement(0, len(old)), parts) == new
    assert sum(len(text) for _, _, text in parts) < len(new) / 10


def test_what_is_too_much_to_compare_is_replaced() -> None:
    assert module._places([b"a", b"b", b"c"], [b"c", b"a"]) is None
    old, new = b"a b " * 4000, b"b c a " * 3000
    assert replaced(old, Replacement(0, len(old)), differences(old, new)) == new
