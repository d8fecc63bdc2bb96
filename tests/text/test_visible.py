from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from nubbin.text.figures import printable, visible

ANY = st.text(st.characters(codec=None, categories=None))


def test_names_cannot_break_the_display() -> None:
    assert printable("naïve name.c") == "naïve name.c"
    assert printable("a\nb\x1b[2Jc\udcff\t") == r"a\nb\x1b[2Jc\xff\t"
    assert printable("\x07 \x9b \u202e \u2028 \ud800") == r"\x07 \x9b \u202e \u2028 \ud800"


def test_texts_keep_their_lines() -> None:
    assert visible("one\n\ttwo\r\n\x1b]0;x\x07") == "one\n\ttwo\\r\n\\x1b]0;x\\x07"


@given(ANY)
def test_nothing_that_is_shown_commands_a_terminal(text: str) -> None:
    assert printable(text).isprintable()
    shown = visible(text)
    assert all(char in "\n\t" or unicodedata.category(char)[0] != "C" for char in shown)
    assert visible(shown) == shown
    assert shown.count("\n") == text.count("\n")


@given(ANY.filter(str.isprintable))
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert visible(text) == printable(text) == text
