"""Doubt: which trees with few errors are not enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.parsing.injected import syntax_of
from snippets import SNIPPETS

#: Texts that parse without many errors in a language that is not theirs, or not all of it.
MISREAD = {
    "yaml": b"Package: a\nDepends: b (>= 1), c\nDescription: some words\n and: more\n\n" * 20,
    "perl": b"stock(a, 72, [b, c]).\nprice(X, P) :- stock(X, N, _), P is N * 2.\n" * 20,
    "html": b"<p>{% if user %} Hello {{ user.name | title }} and all {% endif %}</p>\n" * 20,
    "markdown": b"# Guide\n\nSome words that nobody needs, and some more of them.\n\n" * 20,
}


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_there_is_no_doubt_about_a_text_in_its_own_language(language: str) -> None:
    assert not syntax_of(language).is_doubtful(SNIPPETS[language])


@pytest.mark.parametrize("language", sorted(MISREAD))
def test_a_tree_is_doubtful_if_it_says_little(language: str) -> None:
    syntax = syntax_of(language)
    assert syntax.is_reliable(MISREAD[language])
    assert syntax.is_doubtful(MISREAD[language])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", b"/* A long comment that is all words, */\n// and one more of them\nint x;\n"),
        ("html", b"<script>\nfunction add(first, second) { return first + second; }\n</script>\n"),
        ("python", b'"""A long text that is all words,\n\nand more of them."""\nx = 1\n'),
    ],
)
def test_comments_strings_and_scripts_are_no_reason_for_doubt(language: str, text: bytes) -> None:
    assert not syntax_of(language).is_doubtful(text)


@given(st.sampled_from(sorted(SNIPPETS)), st.integers(0, 200), st.integers(0, 200))
def test_any_part_of_a_text_has_an_answer(language: str, start: int, size: int) -> None:
    part = SNIPPETS[language][start : start + size]
    assert syntax_of(language).is_doubtful(part) in {False, True}
