"""PNG: chunks with lengths and checksums, some with the deflated rows of pixels."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from nubbin.documents.edits import File
from nubbin.documents.packing import Members, NotUnpacked, Unpacked, inflated

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_SIZE = struct.Struct(">II")
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # in a pixel, by the colour type
_PIXELS = "pixels"  # of an interlaced image
_ROW = "row "


@dataclass(frozen=True, slots=True)
class _Shape:
    """The layout of rows: filtered pixels, after a byte that names the filter."""

    width: int
    bits_per_pixel: int

    def row_bytes(self, width: int) -> int:
        return 1 + (width * self.bits_per_pixel + 7) // 8

    def fitted(self, rows: list[bytes]) -> tuple[int, bytes]:
        """Return the width of the widest row, and the pixels; other rows are padded with zeros."""
        whole = (max(map(len, rows)) - 1) * 8 // self.bits_per_pixel
        width = max(1, min(whole, self.width))
        size = self.row_bytes(width)
        return width, b"".join(row[:size].ljust(size, b"\0") for row in rows)


def unpack(file: File, limit: int) -> Unpacked:
    """Take an image apart into chunks, with rows in the place of the chunks with pixels."""
    chunks = list(_chunks(file.data))
    if not chunks or chunks[0][0] != "IHDR" or len(chunks[0][1]) != _HEADER.size:
        raise NotUnpacked("no header")
    width, _, depth, colour, _, _, interlaced = _HEADER.unpack(chunks[0][1])
    if not depth:
        raise NotUnpacked("no depth")
    shape = _Shape(width, depth * _SAMPLES.get(colour, 1))
    pixels = inflated(b"".join(body for kind, body in chunks if kind == "IDAT"), limit)
    starts = range(0, len(pixels), shape.row_bytes(width))
    rows = {f"{_ROW}{n}": pixels[at : at + starts.step] for n, at in enumerate(starts)}
    members: dict[str, bytes] = {}
    for number, (kind, body) in enumerate(chunks):
        if kind != "IDAT":
            members[f"{kind} {number}"] = body
        else:
            members |= {_PIXELS: pixels} if interlaced else rows
    return Unpacked(members, partial(_pack, shape))


def _chunks(data: bytes) -> Iterator[tuple[str, bytes]]:
    at = len(_SIGNATURE)
    while at < len(data):
        size = int.from_bytes(data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += 12 + size
        if data[at - 4 : at] != zlib.crc32(kind + body).to_bytes(4) or not kind.isalpha():
            raise NotUnpacked("a wrong checksum")
        yield kind.decode(), body


def _pack(shape: _Shape, members: Members) -> bytes:
    """Return an image as high as the number of rows, and as wide as the widest of them."""
    rows = [data for name, data in members.items() if name.startswith(_ROW)]
    width, pixels = shape.fitted(rows) if rows else (0, members.get(_PIXELS, b""))
    parts: dict[str, bytes] = {}
    for name, data in members.items():
        if name.startswith((_ROW, _PIXELS)):
            if "IDAT" not in parts:  # one chunk, in the place of the first row
                parts["IDAT"] = _chunk("IDAT", zlib.compress(pixels))
        elif name.startswith("IHDR") and rows:
            header = _SIZE.pack(width, len(rows)) + data[_SIZE.size :]
            parts[name] = _chunk("IHDR", header)
        else:
            parts[name] = _chunk(name.split()[0], data)
    return b"".join((_SIGNATURE, *parts.values()))


def _chunk(kind: str, body: bytes) -> bytes:
    named = kind.encode() + body
    return len(body).to_bytes(4) + named + zlib.crc32(named).to_bytes(4)
