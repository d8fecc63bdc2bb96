"""Tables are found by counting: the k-th fields of all rows are one column."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import Edits, File
from nubbin.documents.outlines.line_outline import columns
from nubbin_core.minimizers import Subset

fields = st.sampled_from(["", "a", "1.5", '"x, y"', '"say ""hi"""', "word"])
rows = st.integers(2, 5).flatmap(
    lambda width: st.lists(st.lists(fields, min_size=width, max_size=width), min_size=4, max_size=9)
)


def texts(data: bytes) -> list[list[bytes]]:
    return [[data[field.start : field.stop] for field in column] for column in columns(data)]


def without(data: bytes, column: int) -> bytes:
    edits = [tuple(each) for each in columns(data)]
    return (
        Edits(File("", data), edits)
        .render(Subset.full(len(edits)).without(column, column + 1))
        .data
    )


@pytest.mark.parametrize("separator", ["\t", ",", ";", "|", "   "])
def test_a_column_is_a_field_of_every_row_with_a_separator(separator: str) -> None:
    data = "\n".join(separator.join(f"{row}{column}" for column in "abc") for row in range(5))
    first, _, last = texts(data.encode())
    assert first == [f"{row}a{separator}".encode() for row in range(5)]
    assert last == [f"{separator}{row}c".encode() for row in range(5)]


def test_numbers_in_columns_that_are_aligned() -> None:
    assert without(b"  1   20  3\n 10    2  3\n  1 2000  3\n  1    0 13\n", 1).split() == [
        *(b"1", b"3", b"10", b"3", b"1", b"3", b"1", b"13"),
    ]


@given(rows, st.data())
def test_the_rows_without_a_column_are_what_a_reader_of_tables_takes_for_them(
    cells: list[list[str]], data: st.DataObject
) -> None:
    width = len(cells[0])
    column = data.draw(st.integers(0, width - 1))
    cells = [["head", *row[1:]] for row in cells]
    text = "".join(",".join(row) + "\n" for row in cells)
    found = columns(text.encode())
    assert len(found) == width
    left = [field for column in columns(without(text.encode(), column)) for field in column]
    assert len(left) in {0, len(cells) * (width - 1)}
    whole = list(csv.reader(text.splitlines()))
    spans = {field.start for column in found for field in column}
    assert len(spans) == sum(map(len, whole))


def test_a_few_lines_may_be_no_rows() -> None:
    table = b"a title\n" + b"1,2,3\n" * 8
    assert [len(column) for column in columns(table)] == [8, 8, 8]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1,2\n3,4\n5,6\n",
        b"word\n" * 9,
        b"a, b\nc\nd, e, f\ng, h\ni\n",
        b"one, two\n" * (1 << 17),
    ],
    ids=["empty", "few rows", "one column", "uneven", "too long"],
)
def test_what_is_no_table(data: bytes) -> None:
    assert columns(data) == []
