"""Tokens as the paper counts them, on texts whose tokens can be counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_bench.paper_tokens import paper_tokens

C = {
    "int x = 0;": 5,
    "a <<= b->c; i++ + --j;": 12,
    "a...b a==b a=-b a- -b": 14,
    'x = "a \\" b; /* */";': 4,
    r"c = '\''; d = L'\\';": 8,
    "1.5e-3f + 0x1.0p-100f + 1UL": 5,
    "/* one\n two */ int x; // three": 3,
    '# 1 "file.c" 2\n#pragma weak f\nint x;\n  # include <a.h>': 3,
    "": 0,
}
XML = {
    "<a/>": 3,
    "<a></a>": 7,
    "<a>some text</a>": 8,
    "<a> <b/>\n</a>": 12,
    "<a x='1 2' y = \"&lt;/>\"/>": 9,
    '<?xml version="1.0"?><a/>': 8,
    "<!-- <b> --><a>&lt;x</a>": 10,
    "<a><![CDATA[<b>]]></a>": 8,
    "": 0,
}


@pytest.mark.parametrize(("text", "tokens"), C.items())
def test_a_token_of_c_is_what_a_lexer_finds(text: str, tokens: int) -> None:
    assert paper_tokens(text.encode(), "c") == tokens


@pytest.mark.parametrize(("text", "tokens"), XML.items())
def test_a_token_of_xml_is_what_a_lexer_finds(text: str, tokens: int) -> None:
    assert paper_tokens(text.encode(), "xml") == tokens


def test_other_languages_have_no_rule() -> None:
    assert paper_tokens(b"x", "python") is None


@given(st.binary(), st.sampled_from(["c", "xml"]))
def test_any_bytes_have_tokens(data: bytes, language: str) -> None:
    found = paper_tokens(data, language)
    assert found is not None
    assert 0 <= found <= len(data)


@given(st.lists(st.sampled_from(["x", "12", '"s"', "'c'", "->", "(", "/* c */"])))
def test_words_that_stand_apart_are_counted_one_by_one(words: list[str]) -> None:
    expected = sum(not word.startswith("/*") for word in words)
    assert paper_tokens(" ".join(words).encode(), "c") == expected
