"""PNG: every chunk has its length before it and its checksum after it."""

from __future__ import annotations

import re
import zlib

import numpy as np

from nubbin.documents.pieces import Pieces, split_at

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TYPE = re.compile(
    rb"IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|tEXt|zTXt|iTXt|bKGD|hIST|pHYs|sPLT|tIME|"
    rb"eXIf|acTL|fcTL|fdAT"
)
_FIELD_BYTES = 4  # the length before the type, and the checksum after the contents


def chunks(data: bytes) -> Pieces:
    """Split before every chunk."""
    offsets = [kind.start() - _FIELD_BYTES for kind in _TYPE.finditer(data)]
    return split_at(data, np.array(offsets, dtype=np.int64))


def contents(data: bytes) -> Pieces:
    """Split before every chunk, and before and after its contents."""
    starts = [kind.span() for kind in _TYPE.finditer(data)]
    offsets = [
        at
        for start, stop in starts
        for at in (start - 2 * _FIELD_BYTES, start - _FIELD_BYTES, stop)
    ]
    return split_at(data, np.unique(np.array(offsets, dtype=np.int64).clip(0)))


def repair(data: bytes) -> bytes:
    """Return an image in which each chunk has its length and checksum.

    A chunk extends to the beginning of the next one of a known type, so that this works whatever
    was deleted of its contents.
    """
    kinds = list(_TYPE.finditer(data))
    if not kinds:
        return data
    ends = [kind.start() - 2 * _FIELD_BYTES for kind in kinds[1:]] + [len(data) - _FIELD_BYTES]
    made = [_SIGNATURE]
    for kind, end in zip(kinds, ends, strict=True):
        body = kind[0] + data[kind.end() : max(end, kind.end())]
        made += [
            (len(body) - len(kind[0])).to_bytes(_FIELD_BYTES),
            body,
            zlib.crc32(body).to_bytes(_FIELD_BYTES),
        ]
    return b"".join(made)
