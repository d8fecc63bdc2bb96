"""The lexis of a text: what is quoted, and which brackets are partners."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.outlines.lexis import Lexed

texts = st.text("ab ()[]{}<>,;\"'\\\n-=", max_size=40).map(str.encode)


@given(texts)
def test_a_partner_is_the_nearest_of_its_kind_that_no_pair_parts(data: bytes) -> None:
    text, pairs = Lexed(data), list[tuple[int, int]]()
    for at in text.marks:
        opening = b"([{<"[b")]}>".find(data[at])] if data[at] in b")]}>" else None
        before = [
            mark
            for mark in text.marks
            if mark < at and data[mark] in b"([{<"
            if not any(start <= mark <= stop for start, stop in pairs)
        ]
        alike = [mark for mark in before if data[mark] == opening]
        if alike and (opening != ord("<") or alike[-1] == before[-1]):
            pairs.append((alike[-1], at))
    assert text.partners == {one: other for pair in pairs for one, other in (pair, pair[::-1])}


@given(texts, texts)
def test_a_quote_says_nothing_of_other_lines(one: bytes, other: bytes) -> None:
    one = one.rstrip(b"\\") + b"\n"
    first, second, both = map(Lexed, (one, other, one + other))
    moved = [(start + len(one), stop + len(one)) for start, stop in second.quoted]
    assert both.quoted == first.quoted + moved
    assert [*both.marks] == [*first.marks, *(at + len(one) for at in second.marks)]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (r""""a" 'b' "\"" '\'' "'" '"' """, [r'"a"', "'b'", r'"\""', r"'\''", '"\'"', "'\"'"]),
        ("x = ['a b', 'c (d'], f('e')", ["'a b'", "'c (d'", "'e'"]),
        ("rb'(a' f'{b}' L'c d' b'('c", ["'(a'", "'{b}'", "'c d'", "'('"]),
        ("insert into t values ('it''s', '')", ["'it'", "'s'", "''"]),
        # Apostrophes, a label of Rust, quoting in Lisp, inches, a quote that another line ends.
        ("I don't (know if it's) the dogs' bone", []),
        ("fn f<'a, 'b>(x: &'a str, y: &'b str)", []),
        ("(f '(a b) '(c) 'd)", []),
        ('5" and (a\n"b', []),
        ("a\\'b c\\'", []),
    ],
)
def test_what_is_in_quotes(text: str, quoted: list[str]) -> None:
    data = text.encode()
    assert [data[start:stop].decode() for start, stop in Lexed(data).quoted] == quoted


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("f(a[0], ')')", ["(a[0], ')')", "[0]"]),
        ("if (a < b) { p->x; } c > d", ["(a < b)", "{ p->x; }"]),
        ("vector<int<a>> (x) => y >", ["<int<a>>", "<a>", "(x)"]),
        ("a ( b\n[c] :-) {d ( e}", ["( b\n[c] :-)", "[c]", "{d ( e}"]),
        ("\\(a\\) (b\\))", ["(b\\))"]),
    ],
)
def test_what_is_in_brackets(text: str, pairs: list[str]) -> None:
    partners = Lexed(text.encode()).partners
    assert [text[a : b + 1] for a, b in sorted(partners.items()) if a < b] == pairs
