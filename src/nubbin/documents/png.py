"""PNG: every chunk has its length before it and its checksum behind it."""

from __future__ import annotations

import re
import zlib

import numpy as np

from nubbin.documents.pieces import Pieces, cut_at

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TYPE = re.compile(
    rb"IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|tEXt|zTXt|iTXt|bKGD|hIST|pHYs|sPLT|tIME|"
    rb"eXIf|acTL|fcTL|fdAT"
)
_AROUND = 4  # bytes of the length before the type, and of the checksum behind the contents


def chunks(data: bytes) -> Pieces:
    """Cut before every chunk."""
    places = [kind.start() - _AROUND for kind in _TYPE.finditer(data)]
    return cut_at(data, np.array(places, dtype=np.int64))


def contents(data: bytes) -> Pieces:
    """Cut before every chunk, and before and behind its contents."""
    starts = [kind.span() for kind in _TYPE.finditer(data)]
    places = [at for start, stop in starts for at in (start - 2 * _AROUND, start - _AROUND, stop)]
    return cut_at(data, np.unique(np.array(places, dtype=np.int64).clip(0)))


def repair(data: bytes) -> bytes:
    """Return an image in which each chunk has its length and checksum.

    A chunk reaches to where the next one of a known type begins, so that this works whatever was
    deleted of its contents.
    """
    kinds = list(_TYPE.finditer(data))
    if not kinds:
        return data
    ends = [kind.start() - 2 * _AROUND for kind in kinds[1:]] + [len(data) - _AROUND]
    made = [_SIGNATURE]
    for kind, end in zip(kinds, ends, strict=True):
        body = kind[0] + data[kind.end() : max(end, kind.end())]
        made += [
            (len(body) - len(kind[0])).to_bytes(_AROUND),
            body,
            zlib.crc32(body).to_bytes(_AROUND),
        ]
    return b"".join(made)
