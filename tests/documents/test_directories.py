"""Tables of offsets and lengths: found, and right when a part of the file has gone."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.in_bytes.grids import grids_in
from nubbin.documents.consistency.in_bytes.offsets import directories_in, pointers_in
from nubbin.documents.consistency.items import Hypothesis
from nubbin.documents.edits import Edits, File
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
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
    *_, found = directories_in(file)
    assert len(found.items.places) == len(bodies)
    number = data.draw(st.integers(0, len(bodies) - 1))
    assert _without(file, found, found.items.places[number]) == write(
        [*bodies[:number], b"", *bodies[number + 1 :]]
    )


def test_other_bytes_have_no_table() -> None:
    for other in (b"", b"\0" * 999, bytes(range(256)) * 9, b"plain text " * 99):
        assert not directories_in(other)


@given(st.lists(st.integers(150, 200), min_size=5, max_size=9), st.data())
def test_an_entry_goes_with_its_part_and_is_counted(sizes: list[int], data: st.DataObject) -> None:
    bodies = [b"\xff" * size for size in sizes]
    entries, _ = directories_in(font(bodies))
    number = data.draw(st.integers(0, len(bodies) - 1))
    left = _without(font(bodies), entries, entries.items.places[number])
    assert left == font([*bodies[:number], *bodies[number + 1 :]])


def test_a_part_without_contents_may_begin_where_another_does() -> None:
    bodies = [bytes([number]) * 150 for number in range(8)]
    entry, rest = struct.pack("<QQ", 64 + 150, 150), b"\xff" * 24
    empty = struct.pack("<QQ", 64 + 150, 7)
    file = an_object(bodies).replace(entry, empty + rest + rest + entry)
    *_, found = directories_in(file)
    assert [(64 + 150, 64 + 300)] in found.items.places


def sets(numbered: dict[int, bytes], size: int) -> bytes:
    """Return bodies after their offsets, in entries of a size, and then their numbers."""
    at, entries = 8 + size * len(numbered), b""
    for body in numbered.values():
        entries += struct.pack(">H", at).rjust(size, b"\xee")
        at += len(body)
    numbers = struct.pack(f">HH{len(numbered)}H", 1, len(numbered), *numbered)
    return struct.pack(">4H", 1, at, 4, len(numbered)) + b"".join(
        (entries, *numbered.values(), numbers)
    )


@given(
    st.dictionaries(st.integers(300, 999), st.integers(1, 6), min_size=24, max_size=40), st.data()
)
def test_a_part_goes_with_its_offset_and_its_number(
    lengths: dict[int, int], data: st.DataObject
) -> None:
    numbered = {number: b"\xff\xfe" * lengths[number] for number in sorted(lengths)}
    size, before = data.draw(st.sampled_from((2, 4))), data.draw(st.binary(max_size=9))
    file = before + sets(numbered, size)
    (found,) = pointers_in(file, len(before), len(file))
    gone = data.draw(st.integers(0, len(numbered) - 1))
    left = {number: numbered[number] for number in numbered if number != [*numbered][gone]}
    assert _without(file, found, found.items.places[gone]) == before + sets(left, size)


@given(st.integers(0, 99).map(lambda seed: Random(seed).randbytes(2000)))
def test_random_bytes_and_increasing_numbers_are_no_offsets(noise: bytes) -> None:
    increasing = struct.pack(">41H", 40, *range(300, 500, 5))
    assert not pointers_in(noise + increasing, 0, len(noise))
    assert not pointers_in(increasing, 0, len(increasing))


def rows(bodies: list[bytes]) -> bytes:
    """Return rows of a text's length, with a number for each, and a head with their number."""
    items = [struct.pack("<HH", 300 + len(body), 7) for body in bodies]
    return b"ROWS" + struct.pack("<HH", len(items), 9) + b"".join(items)


def picture(lines: list[bytes]) -> bytes:
    """Return pixels of three bytes, after where they begin, the size of all, and both counts."""
    pixels = b"".join(line + bytes(-len(line) % 4) for line in lines)
    return struct.pack("<2sIIHH", b"PX", 14, len(pixels), len(lines[0]) // 3, len(lines)) + pixels


@given(st.lists(st.binary(min_size=5, max_size=99), min_size=30, max_size=50), st.data())
def test_a_row_is_removed_with_its_count(bodies: list[bytes], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(bodies) - 1))
    found, *_ = grids_in(rows(bodies))
    left = [*bodies[:number], *bodies[number + 1 :]]
    assert _without(rows(bodies), found, found.items.places[number]) == rows(left)


@given(st.integers(31, 60), st.integers(5, 15), st.integers(0, 99))
def test_a_column_is_removed_with_its_count(high: int, wide: int, seed: int) -> None:
    lines = [Random(seed + at).randbytes(3 * (4 * wide + 1)) for at in range(high)]
    found = [each for each in grids_in(picture(lines)) if each.within]
    left = [_without(picture(lines), each, each.within[0].places[0]) for each in found]
    assert picture([line[12:] for line in lines]) in left


@given(st.integers(0, 99).map(lambda seed: Random(seed).randbytes(2000)))
def test_random_bytes_have_no_rows(noise: bytes) -> None:
    assert not grids_in(noise)


def _without(file: bytes, found: Hypothesis, item: Sequence[Span]) -> bytes:
    """Return what is left without an item, with all numbers made right."""
    edit = tuple(Replacement(*span) for span in item)
    known = Consistency.of(file, [found])
    return Edits(File("a", file, known), [edit]).render(Subset.of([])).data
