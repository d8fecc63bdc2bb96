"""Splitting and joining bytes, on arbitrary bytes."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from faults import interrupted
from nubbin.documents.document import measure
from nubbin.documents.outlines import pieces
from nubbin.documents.splice import spliced
from nubbin_core.minimizers import Subset

SPLITTERS = [pieces.lines, pieces.tokens, pieces.chars, pieces.single_bytes]
texts = st.binary() | st.text().map(str.encode) | st.text("a_1 \t\n{}é").map(str.encode)


def listed(made: pieces.Pieces) -> list[bytes]:
    return [made.data[start:stop] for start, stop in pairwise(made.offsets.tolist())]


@pytest.mark.parametrize("split", SPLITTERS)
@given(data=texts, chosen=st.sets(st.integers(0, 200)))
def test_pieces_tile_the_data_and_join_back(
    split: pieces.Splitter, data: bytes, chosen: set[int]
) -> None:
    made = split(data)
    assert spliced(data, made.cuts(Subset.full(len(made)))) == data
    assert all(listed(made))
    assert made.weights.tolist() == [len(piece) for piece in listed(made)]
    kept = {i for i in chosen if i < len(made)}
    rest = b"".join(listed(made)[i] for i in sorted(kept))
    assert spliced(data, made.cuts(Subset.of(kept))) == rest


@given(texts)
def test_lines_and_bytes_are_python_s(data: bytes) -> None:
    split = data.split(b"\n")
    expected = [line + b"\n" for line in split[:-1]] + [split[-1]] * bool(split[-1])
    assert listed(pieces.lines(data)) == expected
    assert listed(pieces.single_bytes(data)) == [bytes([b]) for b in data]


@given(st.text())
def test_chars_of_text_are_its_characters(text: str) -> None:
    assert listed(pieces.chars(text.encode())) == [char.encode() for char in text]


def test_chars_of_broken_utf8_stand_alone() -> None:
    made = pieces.chars(b"\x80a\xc3\xa9\xa9\xff\xe2\x82\xacz\xe2")
    assert listed(made) == [
        b"\x80",
        b"a",
        "é".encode(),
        b"\xa9",
        b"\xff",
        "€".encode(),
        b"z",
        b"\xe2",
    ]


def test_tokens_are_words_spaces_and_marks() -> None:
    assert listed(pieces.tokens(b"long int x_1  = 42;\r\n\n  f(\xc3\xa9);")) == [
        *(b"long", b" int", b" x_1", b"  ", b"=", b" ", b"42", b";", b"\r\n\n  "),
        *(b"f", b"(", b"\xc3\xa9", b")", b";"),
    ]


@given(texts)
def test_sizes(data: bytes) -> None:
    sizes = measure(data)
    assert sizes.bytes == len(data)
    assert sizes.lines == len(listed(pieces.lines(data)))
    assert sizes.tokens == sum(not piece.isspace() for piece in listed(pieces.tokens(data)))


def test_ctrl_c_is_heard_while_a_large_file_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"int a;\n" * 50
    whole = pieces.tokens(data).offsets.tolist()
    monkeypatch.setattr(pieces, "_CHUNK_TOKENS", 7)
    assert pieces.tokens(data).offsets.tolist() == whole
    looks = len(whole) // 7
    assert interrupted(partial(pieces.tokens, data), looks, "documents/outlines/pieces")


LISTS = st.recursive(
    st.integers() | st.text('a,[]{}\\" ;', max_size=6),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text("ab,{"), each, max_size=3),
)


@given(st.lists(LISTS, min_size=65, max_size=80), st.sampled_from(["", " ", "\n  "]), st.data())
@examples(30)
def test_elements_of_a_list_go_with_the_comma_before_them(
    values: list[object], space: str, chance: st.DataObject
) -> None:
    text = json.dumps({"version": 1, "rows": values}, separators=(f",{space}", ": "))
    made = pieces.elements(text.encode())
    if len(made) != len(values) - 1:  # a deeper list is as long, or this one is not most of it
        assert len(made) == 0 or max(map(len, map(str, values))) > len(text) / 2
        return
    kept = chance.draw(st.sets(st.integers(1, len(values) - 1)))
    cuts = made.cuts(Subset.of([at - 1 for at in kept]))
    left = json.loads(spliced(made.data, cuts))
    assert left == {"version": 1, "rows": [v for at, v in enumerate(values) if at in {0, *kept}]}


@pytest.mark.parametrize("text", [b"", b"]" * 99 + b"[", b"[" * 99, b'"[' * 99, b"[" + b"1," * 63])
def test_a_text_without_a_long_list_has_no_elements(text: bytes) -> None:
    assert len(pieces.elements(text)) == 0
