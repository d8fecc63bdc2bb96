"""PNG: chunks with lengths and checksums; the pixels are deflated rows."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import partial

from nubbin.documents.containers.unpacked import Members, NotUnpacked, Unpacked, inflated
from nubbin.documents.file import File

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_HEIGHT = slice(4, 8)
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # in a pixel, by the type of its colour
_ROW = "row "


def unpack(file: File, limit: int) -> Unpacked:
    """Take an image apart into chunks and, in the place of those with pixels, rows.

    A row is what a filter has left of its pixels, after a byte that names the filter.
    """
    chunks = list(_chunks(file.data))
    if not chunks or chunks[0][0] != "IHDR" or len(chunks[0][1]) != _HEADER.size:
        raise NotUnpacked("no header")
    packed = b"".join(body for kind, body in chunks if kind == "IDAT")
    rows = _rows(inflated(packed, limit), _stride(chunks[0][1]))
    members: dict[str, bytes] = {}
    for number, (kind, body) in enumerate(chunks):
        if kind != "IDAT":
            members[f"{kind} {number}"] = body
        elif rows:
            members |= rows
            rows = {}
    return Unpacked(members, partial(_pack, _stride(chunks[0][1])))


def _chunks(data: bytes) -> Iterator[tuple[str, bytes]]:
    at = len(_SIGNATURE)
    while at < len(data):
        size = int.from_bytes(data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += 12 + size
        if data[at - 4 : at] != zlib.crc32(kind + body).to_bytes(4) or not kind.isalpha():
            raise NotUnpacked("a wrong checksum")
        yield kind.decode(), body


def _stride(header: bytes) -> int:
    """Return the bytes of a row; 0 if there are several images in one, one finer than the other."""
    width: int
    depth: int
    width, _, depth, colour, _, _, interlaced = _HEADER.unpack(header)
    if colour not in _SAMPLES or interlaced:
        return 0
    return 1 + (width * depth * _SAMPLES[colour] + 7) // 8


def _rows(pixels: bytes, stride: int) -> Mapping[str, bytes]:
    if not stride:
        return {"pixels": pixels}
    starts = range(0, len(pixels), stride)
    return {f"{_ROW}{n}": pixels[at : at + stride] for n, at in enumerate(starts)}


def _pack(stride: int, members: Members) -> bytes:
    """Return an image as high as there are rows; what is missing of a row is 0."""
    rows = [data for name, data in members.items() if name.startswith(_ROW)]
    parts = [_SIGNATURE]
    written = False
    for name, data in members.items():
        kind = name.split()[0]
        if name.startswith(_ROW) or name == "pixels":
            if not written:
                pixels = b"".join(row[:stride].ljust(stride, b"\0") for row in rows) or data
                parts.append(_chunk("IDAT", zlib.compress(pixels)))
            written = True
        elif kind == "IHDR" and rows and len(data) == _HEADER.size:
            body = bytearray(data)
            body[_HEIGHT] = len(rows).to_bytes(4)
            parts.append(_chunk(kind, bytes(body)))
        else:
            parts.append(_chunk(kind, data))
    return b"".join(parts)


def _chunk(kind: str, body: bytes) -> bytes:
    named = kind.encode() + body
    return len(body).to_bytes(4) + named + zlib.crc32(named).to_bytes(4)
