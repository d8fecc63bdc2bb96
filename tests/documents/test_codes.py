"""Numbers in bytes: read as written, and written as wide as before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.consistency.codes import Code

_WIDTHS = {
    Code.U8: 1,
    Code.U16_BIG: 2,
    Code.U16_LITTLE: 2,
    Code.U32_BIG: 4,
    Code.U32_LITTLE: 4,
    Code.ASN1: 4,
}


@given(st.sampled_from(Code), st.integers(0, 2**35 - 1), st.binary(max_size=3))
def test_what_is_written_is_read(code: Code, value: int, before: bytes) -> None:
    written = code.write(value, b"")
    if written is None:
        assert value >= 256 ** _WIDTHS[code]
    else:
        assert code.read(before + written, len(before)) == (value, len(before) + len(written))
        assert code.number(written) == value


@given(
    st.sampled_from([*_WIDTHS, Code.LEB128]),
    st.lists(st.sampled_from([0, 1, 2, 127, 128, 129, 130, 132, 133, 255]), max_size=12).map(bytes),
)
def test_numbers_are_read_everywhere_as_they_are_one_by_one(code: Code, data: bytes) -> None:
    values, stops = (each.tolist() for each in code.everywhere(data))
    found = zip(values, stops, strict=True)
    assert [each if each[1] else None for each in found] == [
        code.read(data, at) for at in range(len(data))
    ]


@pytest.mark.parametrize("code", Code)
def test_nothing_is_read_where_nothing_stands(code: Code) -> None:
    assert code.read(b"", 0) is None
    assert code.write(-1, b"") is None
    with pytest.raises(ValueError, match="not a number"):
        code.number(b"")


def test_a_number_with_more_bytes_than_it_needs_keeps_them() -> None:
    assert Code.DECIMAL.write(7, b"0012") == b"0007"
    assert Code.LEB128.write(7, b"\x8c\x80\x00") == b"\x87\x80\x00"
    assert Code.LEB128.write(7, b"\x8c\x01") == b"\x07"
