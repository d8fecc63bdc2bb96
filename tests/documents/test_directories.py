"""Tables of offsets and lengths: found, and right when a part of the file has gone."""

from __future__ import annotations

import struct
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.in_bytes.directories import directory_in
from nubbin.documents.edits import Edits
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin_core.minimizers.subset import Subset


def font(bodies: list[bytes]) -> bytes:
    """Return a table at the beginning: of each part a name, a checksum, an offset and a length."""
    head, at = b"\0\1\0\0" + struct.pack(">HHHH", len(bodies), 1, 2, 3), 12 + 16 * len(bodies)
    for body in bodies:
        head += b"name\xff\xff\xff\xff" + struct.pack(">II", at, len(body))
        at += len(body)
    return head + b"".join(bodies)


def an_object(bodies: list[bytes]) -> bytes:
    """Return a table at the end, which the head has the offset of, as in 64-bit ELF."""
    table, at = b"", 64
    for body in bodies:
        table += b"\xff" * 24 + struct.pack("<QQ", at, len(body)) + b"\xff" * 24
        at += len(body)
    return (b"\x7fELF" + b"\xff" * 36 + struct.pack("<Q", at)).ljust(64, b"\xff") + b"".join(
        [*bodies, table]
    )


@settings(max_examples=20)
@given(
    st.sampled_from([font, an_object]),
    st.lists(st.binary(min_size=150, max_size=200), min_size=5, max_size=9),
    st.data(),
)
def test_a_part_goes(
    write: Callable[[list[bytes]], bytes], bodies: list[bytes], data: st.DataObject
) -> None:
    file = write(bodies)
    found = directory_in(file)
    assert found is not None
    assert len(found.items.places) == len(bodies)
    number = data.draw(st.integers(0, len(bodies) - 1))
    edit = tuple(Replacement(*span) for span in found.items.places[number])
    known = Consistency.of(file, [found])
    left = Edits(File("a", file, known), [edit]).render(Subset.of([])).data
    assert left == write([*bodies[:number], b"", *bodies[number + 1 :]])


def test_other_bytes_have_no_table() -> None:
    for other in (b"", b"\0" * 999, bytes(range(256)) * 9, b"plain text " * 99):
        assert directory_in(other) is None
