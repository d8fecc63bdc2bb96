"""Formats that count their own bytes have right counts whatever is deleted."""

from __future__ import annotations

import itertools
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.file import File
from nubbin.documents.format_spec import format_spec_of
from nubbin.minimizers import Subset
from nubbin.passes.flat import FLAT
from nubbin.passes.repaired import repaired

DIMACS = b"c hello\np cnf 3 3\n1 -2 0\n2 3\n 0\nc 0 clauses more\n-1 0\n"


def pdf() -> bytes:
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
        b"<< /Length 9 >>\nstream\nBT (a) Tj\nendstream",
        b"<< /Length 3 /N 1 >>\nstream\nBT\n\nendstream",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    return (
        data
        + b"xref\n0 1\n0000000000 65535 f \n1 5\n%b" % table
        + b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    )


def chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", bytes([0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]))
    + chunk(b"tEXt", b"Comment\0hello")
    + chunk(b"IDAT", zlib.compress(b"\0\1\2\0\3\4"))
    + chunk(b"IEND", b"")
)


def right_pdf(data: bytes) -> bool:
    """Tell whether the offset of the table, its entries and the lengths of streams are right."""
    start = re.search(rb"startxref\n(\d+)", data)
    table = re.search(rb"\nxref\n(.*?)trailer", data, re.DOTALL)
    assert start and table
    listed, number = {}, 0
    for one, _, used in re.findall(rb"(\d+) (\d+)(?: ([nf]) )?\n", table[1]):
        if used:
            listed[number] = int(one)
            number += 1
        else:
            number = int(one)
    del listed[0]
    found = {int(m[1]): m.start() for m in re.finditer(rb"(\d+) 0 obj", data[: table.start()])}
    streams = re.findall(rb"/Length (\d+)[^>]*>>\nstream\n(.*?)\n?endstream", data, re.DOTALL)
    return (
        int(start[1]) == table.start() + 1
        and listed == found
        and all(int(length) == len(body) for length, body in streams)
    )


@pytest.mark.parametrize("data", [pdf(), PNG, DIMACS], ids=["pdf", "png", "dimacs"])
def test_what_is_right_stays_as_it_is(data: bytes) -> None:
    format_spec = format_spec_of(data)
    assert format_spec is not None
    assert format_spec.repair(data) == data


def test_a_pdf_whose_objects_and_streams_shrink() -> None:
    data = pdf()
    format_spec = format_spec_of(data)
    assert format_spec is not None
    pieces = format_spec.split(data)
    assert len(pieces) == 6
    for gone in ([1], [0], [2, 3], [1, 2, 3, 4]):
        left = pieces.join(Subset.full(6) - Subset.of(gone))
        if 0 in gone:
            left = b"%PDF-1.4\n" + left
        assert not right_pdf(left)
        assert right_pdf(format_spec.repair(left))
    bodies = format_spec.split_inner(data)
    assert len(bodies) == 10
    gone = [i for i in range(10) if bodies.join(Subset.of([i])).startswith(b"BT")]
    assert len(gone) == 2
    assert right_pdf(format_spec.repair(bodies.join(Subset.full(10) - Subset.of(gone))))
    shorter = data.replace(b"(a) Tj", b"")
    assert right_pdf(format_spec.repair(shorter))


@given(st.integers(41, 66), st.integers(0, 20))
def test_a_png_whose_contents_shrink(start: int, size: int) -> None:
    format_spec = format_spec_of(PNG)
    assert format_spec is not None
    whole = format_spec.repair(PNG[:41] + PNG[41 + min(size, 13) :])  # inside the comment
    assert whole == PNG.replace(
        chunk(b"tEXt", b"Comment\0hello"), chunk(b"tEXt", b"Comment\0hello"[min(size, 13) :])
    )
    cut = format_spec.repair(PNG[:start] + PNG[start + size :])
    assert format_spec.repair(cut) == cut


def test_clauses_keep_the_header_s_count() -> None:
    format_spec = format_spec_of(DIMACS)
    assert format_spec is not None
    offsets = format_spec.split(DIMACS).offsets.tolist()
    assert [DIMACS[a:b] for a, b in itertools.pairwise(offsets)] == [
        b"c hello\np cnf 3 3\n",
        b"1 -2 0\n",
        b"2 3\n 0\n",
        b"c 0 clauses more\n",
        b"-1 0\n",
    ]
    (proposal,) = repaired(FLAT["lines"], format_spec)(File("f.cnf", DIMACS))
    assert proposal.render(Subset.of([0, 1, 6])).data == b"c hello\np cnf 3 1\n-1 0\n"
    assert proposal.render(Subset.full(7)).data == DIMACS


@given(st.sampled_from([pdf(), PNG, DIMACS]), st.binary(max_size=20), st.integers(0, 500))
def test_no_bytes_break_it(data: bytes, junk: bytes, at: int) -> None:
    format_spec = format_spec_of(data)
    assert format_spec is not None
    broken = data[:at] + junk + data[at + len(junk) :]
    assert isinstance(format_spec.repair(broken), bytes)
    assert format_spec.split(broken).join(Subset.full(len(format_spec.split(broken)))) == broken


def test_other_formats_are_left_alone() -> None:
    assert format_spec_of(b"int main(void) { return 0; }\n") is None
