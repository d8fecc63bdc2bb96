"""Lengths and checksums in bytes: right after any edits, whatever is found in any bytes."""

from __future__ import annotations

import struct
import zlib
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.edits import File
from nubbin.documents.spans import Replacement
from nubbin.passes.syntactic import propose
from nubbin_core.minimizers import EMPTY

_RANDOM = Random(3)
_BODIES = [_RANDOM.randbytes(_RANDOM.randrange(2, 60)) for _ in range(20)]


def archive(bodies: list[bytes]) -> bytes:
    """The size of all, a count, and blocks: a length, a kind, a body, a checksum."""
    blocks = b"".join(
        struct.pack(">I", len(body)) + b"K" + body + struct.pack("<I", zlib.crc32(b"K" + body))
        for body in bodies
    )
    return struct.pack(">IH", len(blocks) + 2, len(bodies)) + blocks


def unpacked(data: bytes) -> list[bytes]:
    """Return the bodies of an archive; fails unless all that it says of itself is right."""
    size, count = struct.unpack_from(">IH", data)
    assert size == len(data) - 4
    bodies, at = [], 6
    for _ in range(count):
        (size,) = struct.unpack_from(">I", data, at)
        block = data[at + 4 : at + 5 + size]
        assert struct.unpack_from("<I", data, at + 5 + size) == (zlib.crc32(block),)
        bodies.append(block[1:])
        at += size + 9
    assert at == len(data)
    return bodies


def known(data: bytes) -> File:
    """Bytes with all that is found in them taken for true."""
    return File("a", data, Consistency.of(data, hypotheses(data)))


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 59), st.integers(1, 60)), max_size=8))
def test_all_that_an_archive_says_is_right_after_any_edits(
    cuts: list[tuple[int, int, int]],
) -> None:
    file, left = known(archive(_BODIES)), [bytearray(body) for body in _BODIES]
    for at, first, size in cuts:
        body = left[at]
        gone = body[first : first + size]
        if not gone:
            continue
        start = file.data.index(bytes(body)) + first
        edit = (Replacement(start, start + len(gone)),)
        file = propose(file, None, [edit]).render(EMPTY)
        del body[first : first + size]
    assert unpacked(file.data) == [bytes(body) for body in left]


@given(st.sets(st.integers(0, 19), max_size=19))
def test_blocks_that_go_are_not_counted(gone: set[int]) -> None:
    file = known(archive(_BODIES))
    assert file.consistency is not None
    (blocks,) = file.consistency.places.spans_by_list().values()
    edits = [tuple(Replacement(*span) for span in blocks[at]) for at in gone]
    left = propose(file, None, edits).render(EMPTY) if edits else file
    assert unpacked(left.data) == [body for at, body in enumerate(_BODIES) if at not in gone]


def test_white_space_in_bytes_is_as_good_as_any() -> None:
    bodies = [b"  \n " * 3, *_BODIES, b"a b\tc  "]
    file = known(archive(bodies))
    start = file.data.index(b"a b\tc") + 2
    left = propose(file, None, [(Replacement(start, start + 1),)]).render(EMPTY)
    assert unpacked(left.data) == [*bodies[:-1], b"a \tc  "]


@given(st.binary(max_size=300))
def test_any_bytes_can_be_looked_at(data: bytes) -> None:
    for each in hypotheses(b"\0" + data):
        assert each.of_bytes
        flat = np.array([*each.items.places, [(len(data) + 1, 0)]]).reshape(-1, 2)
        assert (flat[:-1, 0] < flat[:-1, 1]).all()
        assert (flat[:-1, 1] <= len(data) + 1).all()


def test_nothing_is_found_in_noise() -> None:
    found = [hypotheses(b"\0" + _RANDOM.randbytes(3000)) for _ in range(20)]
    assert sum(map(bool, found)) <= 1
