"""Bytes that count themselves: blocks, packets and entries go, and what is left can be read."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from nubbin.documents.consistency.in_bytes.blocks import chain_in
from runs import run

RANDOM = Random(7)
BODIES = [RANDOM.randbytes(RANDOM.randrange(3, 90)) for _ in range(40)]
BODIES[23] = BODIES[23] + b"BUG" + BODIES[22]


def must(holds: bool) -> None:
    if not holds:
        raise ValueError


def leb128(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + leb128(rest) if rest else bytes([low])


def packed(form: str, *numbers: int) -> bytes:
    return struct.pack(form, *numbers)


def entries() -> bytes:
    """A vector of function types, as WebAssembly has them."""
    types = [RANDOM.choices((0x7F, 0x7E, 0x7D), k=RANDOM.randrange(6)) for _ in range(30)]
    types[17][2:] = [0x7D, 0x7B, 0x7F]
    return leb128(30) + b"".join(
        b"\x60" + leb128(len(types[n])) + bytes(types[n]) + leb128(n % 2) + b"\x7f" * (n % 2)
        for n in range(30)
    )


def reads_entries(data: bytes) -> bool:
    at, found = 1, False
    for _ in range(data[0]):
        must(data[at] == 0x60)
        for _ in range(2):
            size = data[at + 1]
            must(size < 0x80)
            kinds = data[at + 2 : at + 2 + size]
            must(len(kinds) == size and all(0x7B <= kind <= 0x7F for kind in kinds))
            found |= b"\x7b" in kinds
            at += 1 + size
        at += 1
    must(at == len(data))
    return found


def asn1(tag: int, body: bytes) -> bytes:
    size = len(body)
    wide = packed(">BH", 0x82, size) if size > 0xFF else packed("BB", 0x81, size)
    return bytes([tag]) + (packed("B", size) if size < 0x80 else wide) + body


def sequence() -> bytes:
    """Sequences of sequences of texts and numbers, each with a tag and its length."""
    texts = [asn1(12, b"t%d" % n) for n in range(120)]
    texts[70] = asn1(0x31, asn1(12, b"BUG") + asn1(2, b"\1"))
    inner = [asn1(0x30, b"".join(texts[n : n + 4])) for n in range(0, 120, 4)]
    outer = [asn1(0x30, b"".join(inner[n : n + 5])) for n in range(0, 30, 5)]
    return asn1(0x30, b"".join(outer))


def reads_sequence(data: bytes) -> bool:
    found, ranges = False, [(0, len(data), 0)]
    while ranges:
        at, end, around = ranges.pop()
        while at < end:
            tag, size, at = data[at], data[at + 1], at + 2
            if size > 0x80:
                width = size - 0x80
                size, at = int.from_bytes(data[at : at + width], "big"), at + width
                must(size >= (0x80 if width == 1 else 0x100))
            must(at + size <= end)
            if tag in (0x30, 0x31):
                ranges.append((at, at + size, tag))
            else:
                must(tag in (2, 12))
                found |= around == 0x31 and data[at : at + size] == b"BUG"
            at += size
    return found


def directory() -> bytes:
    """A head, parts that say their length, and a table of where they are; one is long and noise."""
    parts = [packed("<I", len(body)) + body for body in BODIES[:6]]
    parts[3] = packed("<I", 8_000) + b"HEADBUG" + Random(3).randbytes(7_993)
    at, table = 16, b""
    for part in parts:
        table += packed("<QII", 2**64 - 1, at, len(part))
        at += len(part)
    return packed("<QII", 2**63, at, len(parts)) + b"".join(parts) + table


def reads_directory(data: bytes) -> bool:
    """Each part has the length that it says; in the middle of one there is a word."""
    first, at, count = struct.unpack_from("<QII", data)
    must(first == 2**63 and at + 16 * count == len(data))
    found = False
    for n in range(count):
        _, begin, size = struct.unpack_from("<QII", data, at + 16 * n)
        must(size == 0 or size == 4 + struct.unpack_from("<I", data, begin)[0])
        found |= data[begin + 4 : begin + 11] == b"HEADBUG"
    return found


CASES = {
    "entries": (entries, reads_entries, 5, 60),
    "sequence": (sequence, reads_sequence, 9, 80),
    "directory": (directory, reads_directory, 50, 145),
}


@pytest.mark.parametrize("case", CASES)
def test_bytes_that_count_themselves_come_to_the_least(case: str, tmp_path: Path) -> None:
    make, reader, least, most = CASES[case]
    ran = run(tmp_path, "input.bin", make(), reads(reader))
    assert ran.minimal
    assert len(ran.data) <= least
    assert ran.queries <= most


def test_blocks_that_begin_in_many_ways_are_a_chain() -> None:
    bodies = [bytes(RANDOM.randrange(40, 90)) + RANDOM.randbytes(9) for _ in range(200)]
    data = b"MAGIC" + b"".join(
        packed("<II", 1700000000 + n, len(body)) + body for n, body in enumerate(bodies)
    )
    chain, *_ = chain_in(data)
    assert len(chain.items.places) == len(bodies)


def reads(reader: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
    """A test that rejects what its reader cannot read."""

    def interesting(data: bytes) -> bool:
        try:
            return reader(data)
        except (ValueError, IndexError, struct.error):
            return False

    return interesting
