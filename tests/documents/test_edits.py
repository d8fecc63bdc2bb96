"""Edits: any subset gives the same as a slow, plain implementation of the rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import Edit, Edits, File
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import BLANKS, glued, spliced
from nubbin_core.minimizers import EMPTY, Subset

datas = st.one_of(
    st.binary(max_size=12),
    st.lists(
        st.sampled_from([b"a", b"b", b" ", b"  ", b"\t", b"\n", b"\r\n", b"+", b"/", b"*", b";"]),
        max_size=20,
    ).map(b"".join),
)
insertions = st.sampled_from([b"", b"", b"0", b"+", b" ", b"\n", b"{}"])


@st.composite
def cases(draw: st.DrawFn, texts: bool = True) -> tuple[bytes, list[Edit], Subset]:
    data = draw(datas)
    places = st.integers(0, len(data))
    edits = []
    for _ in range(draw(st.integers(0, 6))):
        spans = []
        for _ in range(draw(st.integers(0 if texts else 1, 2 if texts else 1))):
            start, stop = sorted((draw(places), draw(places)))
            spans.append(Replacement(start, stop, draw(insertions) if texts else b""))
        edits.append(tuple(spans))
    kept = draw(st.sets(st.integers(0, len(edits) - 1))) if edits else set()
    return data, edits, Subset.of(kept)


def in_order(edits: list[Edit], kept: Subset) -> list[Replacement]:
    listed = [
        (start, -stop, owner, text)
        for owner, edit in enumerate(edits)
        if owner not in kept
        for start, stop, text in edit
    ]
    listed.sort(key=lambda entry: entry[:3])
    return [Replacement(start, -stop, text) for start, stop, _, text in listed]


def marked(data: bytes, edits: list[Edit], kept: Subset) -> tuple[list[bool], dict[int, bytes]]:
    """Return which bytes are deleted, and which texts appear before which byte."""
    gone = [False] * len(data)
    texts: dict[int, bytes] = {}
    for start, stop, text in in_order(edits, kept):
        # An earlier span owns a byte exactly if it has deleted it.
        if text and not (start < len(data) and gone[start]):
            texts[start] = texts.get(start, b"") + text
        gone[start:stop] = [True] * (stop - start)
    return gone, texts


@given(cases())
def test_exact_edits(case: tuple[bytes, list[Edit], Subset]) -> None:
    data, edits, kept = case
    gone, texts = marked(data, edits, kept)
    expected = b"".join(
        texts.get(i, b"") + (b"" if i == len(data) or gone[i] else data[i : i + 1])
        for i in range(len(data) + 1)
    )
    made = Edits(File("", data), edits)
    assert spliced(data, made.merged(kept)) == expected


def replaced_one_by_one(data: bytes, spans: list[Replacement]) -> bytes:
    reached, out = 0, b""
    for start, stop, text in spans:
        assert reached <= start <= stop
        out += data[reached:start] + text
        reached = stop
    return out + data[reached:]


def tidied(data: bytes, edits: list[Edit], kept: Subset) -> bytes:
    """Deletions only: the rules of `Layout`, applied byte by byte."""
    gone, _ = marked(data, edits, kept)
    joined: list[list[int]] = []
    for at in (i for i, is_gone in enumerate(gone) if is_gone):
        if joined and not data[joined[-1][1] : at].strip(BLANKS):
            joined[-1][1] = at + 1
        else:
            joined.append([at, at + 1])
    for one in joined:
        start, stop = one
        ended = data[stop - 1] in b"\r\n"
        left, right = start, stop
        while left and data[left - 1] in BLANKS:
            left -= 1
        while not ended and right < len(data) and data[right] in BLANKS:
            right += 1
        begins = left == 0 or data[left - 1] in b"\r\n"
        ends = ended or right == len(data) or data[right] in b"\r\n"
        if begins and ends:
            if not ended:
                right += 2 if data[right : right + 2] == b"\r\n" else right < len(data)
            one[:] = left, right
        elif ends:
            one[:] = left, right
        elif begins or left < start:
            one[1] = right
    out, reached = b"", 0
    for index, (start, stop) in enumerate(joined):
        out += data[reached:start]
        touches = index + 1 < len(joined) and joined[index + 1][0] <= stop
        if out and stop < len(data) and not touches and glued(out[-1], data[stop]):
            out += b" "
        reached = stop
    return out + data[reached:]


@given(cases(texts=False))
def test_tidy_deletions(case: tuple[bytes, list[Edit], Subset]) -> None:
    data, edits, kept = case
    expected = tidied(data, edits, kept)
    made = Edits(File("", data), edits)
    assert made.render(kept).data == expected
    assert replaced_one_by_one(data, made.spans(kept)) == expected
    assert len(expected) <= len(data)


@given(cases())
def test_tidy_edits_keep_words_apart_and_lose_no_text(
    case: tuple[bytes, list[Edit], Subset],
) -> None:
    data, edits, kept = case
    gone, texts = marked(data, edits, kept)
    made = Edits(File("", data), edits)
    rendered = made.render(kept).data
    assert replaced_one_by_one(data, made.spans(kept)) == rendered
    everything = b"".join(
        texts.get(i, b"") + (b"" if i == len(data) or gone[i] else data[i : i + 1])
        for i in range(len(data) + 1)
    )
    assert b"".join(rendered.split()) == b"".join(everything.split())


def test_nothing_applied_is_the_document() -> None:
    data = b"a\0\xff\r\n  b  \n"
    made = Edits(File("", data), [(Replacement(0, 1, b"x"),), (Replacement(3, 9),)])
    assert made.render(Subset.full(2)).data == data
    assert made.spans(Subset.full(2)) == []


@pytest.mark.parametrize(
    ("data", "gone", "left"),
    [
        (b"int x;", [(3, 4)], b"int x;"),
        (b"a b c", [(2, 3)], b"a c"),
        (b"a b\nc", [(2, 3)], b"a\nc"),
        (b"x\n  f();\n  g();\n", [(4, 8)], b"x\n  g();\n"),
        (b"x\n  f(); g();\ny", [(4, 8), (9, 13)], b"x\ny"),
        (b"x\r\n  f();\r\ny", [(5, 9)], b"x\r\ny"),
        (b"  f(); g();\n", [(2, 6)], b"  g();\n"),
        (b"a+b+c", [(2, 3)], b"a+ +c"),
        (b"return(1)+x", [(6, 10)], b"return x"),
        (b"line 1\nline 2\nline 3\n", [(7, 14)], b"line 1\nline 3\n"),
        (b"f(a, b)", [(2, 5)], b"f(b)"),
    ],
)
def test_layout(data: bytes, gone: list[tuple[int, int]], left: bytes) -> None:
    assert (
        Edits(File("", data), [(Replacement(*span),) for span in gone]).render(EMPTY).data == left
    )


def test_the_outermost_wins_and_inner_edits_survive_a_hoist() -> None:
    data = b"f(g(x), y)"
    hoist = (Replacement(0, 2), Replacement(6, 10))
    zero = (Replacement(4, 5, b"0"),)
    whole = (Replacement(0, 10, b"1"),)
    made = Edits(File("", data), [hoist, zero, whole])
    assert made.render(Subset.of([2])).data == b"g(0)"
    assert made.render(Subset.of([0])).data == b"1"
    assert made.render(EMPTY).data == b"1"


def test_weights() -> None:
    data = b"if (a) { b; } // c"
    edits: list[Edit] = [
        (Replacement(0, 13),),
        (Replacement(0, 9), Replacement(11, 13)),
        (Replacement(4, 5, b"0 + 0"),),
        (),
    ]
    made = Edits(File("", data), edits)
    assert made.weights == [13, 11, 1, 1]


def test_outside_the_document() -> None:
    with pytest.raises(ValueError, match="outside"):
        Edits(File("", b"abc"), [(Replacement(1, 4),)])
    with pytest.raises(ValueError, match="outside"):
        Edits(File("", b"abc"), [(Replacement(2, 1),)])


def test_a_hundred_thousand_deletions() -> None:
    data = b"ab " * 100_000
    made = Edits(File("", data), [(Replacement(at, at + 2),) for at in range(0, 300_000, 3)])
    odd = Subset.of(range(1, 100_000, 2))
    assert made.render(odd).data == b"ab " * 50_000
    assert made.render(EMPTY).data == b""
