"""Tokens: the pieces joined are the document, whatever it holds; layout is only layout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.layout import join
from nubbin.documents.tokens import (
    COMMENT,
    NUMBER,
    SIGN,
    SPACE,
    STRING,
    WORD,
    Tokens,
    canonical,
    count_tokens,
    scan,
    tokens_of,
)
from nubbin.documents.tree import grow

LANGUAGES = [None, "c", "python", "javascript", "json", "xml", "rust", "smtlib", "dimacs", "dot"]
languages = st.sampled_from(LANGUAGES)
texts = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from(
            [
                *(b'"', b"'", b"`", b"\\", b"\n", b"\r\n", b" ", b"\t", b"//", b"/*", b"*/", b"#"),
                *(
                    b'"""',
                    b"c ",
                    b"a1",
                    b"0x1F",
                    b"3.5e-7",
                    b"->",
                    b"<!--",
                    b"-->",
                    b"|",
                    b"{",
                    b"}",
                ),
                *("é".encode(), "日本".encode(), b"\xff", b"\0", b";", b"if", b"=", b"(", b")"),
            ]
        ),
        max_size=30,
    ).map(b"".join),
)


def pieces(tokens: Tokens) -> list[bytes]:
    return [tokens.text(i) for i in range(len(tokens))]


@given(texts, languages)
def test_tokens_joined_are_the_document(data: bytes, language: str | None) -> None:
    grown = grow(data, language)
    for tokens in [scan(data, language)] + ([tokens_of(grown)] if grown else []):
        assert b"".join(pieces(tokens)) == data
        assert all(pieces(tokens))
        assert tokens.bounds[-1] == len(data)
        assert len(tokens.classes) == len(tokens) == len(tokens.starts) == len(tokens.stops)


@given(texts, languages)
def test_a_character_is_never_cut(data: bytes, language: str | None) -> None:
    whole = data.decode(errors="ignore").encode()
    for piece in pieces(scan(whole, language)):
        piece.decode()


def test_by_look() -> None:
    data = b'f(x1, "a \\" b", \'c\', 0x1F) don\'t -> \xc3\xa9t\xc3\xa9 3.5e-7 \xff\0 "open\n'
    tokens = scan(data)
    assert [p for p, c in zip(pieces(tokens), tokens.classes, strict=True) if c != SPACE] == [
        *(b"f", b"(", b"x1", b",", b'"a \\" b"', b",", b"'c'", b",", b"0x1F", b")"),
        *(b"don", b"'", b"t", b"-", b">", "été".encode(), b"3.5e-7", b"\xff", b"\0", b'"', b"open"),
    ]
    assert [tokens.text(i) for i in tokens.where(STRING, NUMBER)] == [
        *(b'"a \\" b"', b"'c'", b"0x1F", b"3.5e-7")
    ]


def test_by_tree() -> None:
    data = b'int f(void) { // why "\n  return g("a b", x->y); }\n'
    grown = grow(data, "c")
    assert grown is not None
    tokens = tokens_of(grown)
    assert [tokens.text(i) for i in tokens.meaningful] == [
        *(b"int", b"f", b"(", b"void", b")", b"{", b"return"),
        *(b"g", b"(", b'"a b"', b",", b"x", b"->", b"y", b")", b";", b"}"),
    ]
    assert [tokens.text(i) for i in tokens.where(COMMENT)] == [b'// why "']
    assert {int(c) for c in tokens.classes} == {SPACE, COMMENT, STRING, WORD, SIGN}


def test_paragraphs_are_cut_into_words() -> None:
    grown = grow(b"<a>two words</a>", "xml")
    assert grown is not None
    assert b"words" in pieces(tokens_of(grown))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("c", b"int  x ; // a\n\n", b"int/* b */x;"),
        ("c", b"  #define A 1\nint x;", b"  #define A 1\n\n  int x;"),
        ("python", b"if x:\n    y  = 1 # c\n\n\n    z\n", b"if x:\n    y=1\n    z"),
        ("javascript", b"a\n  b // c\n", b"\na\nb"),
        ("json", b'{"a": 1}', b'{\n  "a" : 1\n}\n'),
        ("dimacs", b"c hi\np cnf 1 1\n1 0\n", b"p  cnf 1 1\n\n1 0"),
        (None, b"a  b\n", b"a b"),
    ],
)
def test_layout_alone_gives_the_same_key(language: str | None, one: bytes, other: bytes) -> None:
    assert canonical(one, language) == canonical(other, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("c", b'f("a b");', b'f("a  b");'),
        ("c", b"#define A\nint x;", b"#define A int x;"),
        ("c", b"  #define A\nint x;", b"  #define A int x;"),
        ("c", b"ab", b"a b"),
        ("python", b"if x:\n  y\n  z", b"if x:\n  y\nz"),
        ("javascript", b"return\nx", b"return x"),
        ("json", b"[1, 2]", b"[12]"),
        (None, b"a\nb", b"a b"),
        (None, b"# a", b"# b"),
    ],
)
def test_what_may_matter_gives_another_key(language: str | None, one: bytes, other: bytes) -> None:
    assert canonical(one, language) != canonical(other, language)


@given(texts, st.lists(st.sampled_from([b" ", b"\n", b"\t ", b"\r\n"]), min_size=100))
def test_a_key_holds_the_tokens_and_nothing_else(data: bytes, blanks: list[bytes]) -> None:
    words = [piece for piece in pieces(scan(data, "json")) if not piece.isspace()]
    spread = b"".join(word + blank for word, blank in zip(words, blanks, strict=False))
    # A string that was left open may close once its neighbours have moved away, or the reverse.
    if pieces(scan(spread, "json"))[::2] == words:
        assert canonical(spread, "json") == (b"\0".join(words) + b"\0")


def test_count() -> None:
    assert count_tokens(b"x += 1; /* y */ // z", "c") == 4
    assert count_tokens(b"x += 1; /* y */", None) == 10
    assert count_tokens(b"") == 0


@pytest.mark.parametrize(
    "piece", [b'"', b'"\\', b"/*", b'"""a', b"`\\", b"\n#\\", b" \t", b"'\\", b"'", b"\n"]
)
@pytest.mark.parametrize("language", ["c", "python", "javascript", None])
def test_no_text_takes_quadratic_time(piece: bytes, language: str | None) -> None:
    # Would take minutes if it were quadratic.
    data = piece * 200_001
    assert scan(data, language).bounds[-1] == len(data)
    assert isinstance(canonical(data, language), bytes)


@given(st.lists(st.sampled_from([b"a", b"1", b"+", b"(", b"/", b"*", b" ", b"", b'"s"'])))
def test_joined_tokens_stay_apart(tokens: list[bytes]) -> None:
    joined = join(tokens)
    assert joined.replace(b" ", b"") == b"".join(tokens).replace(b" ", b"")
    scanned = scan(joined)
    words = [t for t in tokens if t.isalnum()]
    assert [p for p in pieces(scanned) if p.isalnum()] == words
