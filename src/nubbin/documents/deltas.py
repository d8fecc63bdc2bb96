"""Deltas: documents stored as what differs from the one before."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import zstandard

_WINDOW_LOG = 27  # the compressor looks back 2^27 bytes


def delta(files: Mapping[str, bytes], base: Mapping[str, bytes]) -> bytes:
    """Return files, by path, as a compressed delta against a base.

    It has the bytes between the start and the end that the files share with the base. The base is
    the dictionary of the compressor, so that in documents of less than a megabyte or so any
    deletion costs a few bytes. Linear.
    """
    new, old = b"".join(files.values()), b"".join(base.values())
    begin = _alike(new, old)
    end = _alike(new[begin:][::-1], old[begin:][::-1])
    sizes = {path: len(data) for path, data in files.items()}
    head = json.dumps([begin, end, sizes]).encode()
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters.from_level(
            3, window_log=_WINDOW_LOG
        ),
        dict_data=_dictionary(old, begin, end),
    )
    return len(head).to_bytes(8, "big") + head + packer.compress(new[begin : len(new) - end])


def applied(packed: bytes, base: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that `delta` packed over the same base."""
    start = 8 + int.from_bytes(packed[:8], "big")
    begin, end, sizes = json.loads(packed[8:start])
    old = b"".join(base.values())
    unpacker = zstandard.ZstdDecompressor(
        dict_data=_dictionary(old, begin, end), max_window_size=1 << _WINDOW_LOG
    )
    new = old[:begin] + unpacker.decompress(packed[start:]) + old[len(old) - end :]
    files, at = {}, 0
    for path, size in sizes.items():
        files[path] = new[at : at + size]
        at += size
    return files


def _alike(one: bytes, other: bytes) -> int:
    """Return the number of bytes that both begin with."""
    shorter = min(len(one), len(other))
    views = (np.frombuffer(data, dtype=np.uint8, count=shorter) for data in (one, other))
    differ = np.not_equal(*views)
    return int(differ.argmax()) if differ.any() else shorter


def _dictionary(old: bytes, begin: int, end: int) -> zstandard.ZstdCompressionDict | None:
    between = old[begin : len(old) - end]
    if not between:
        return None
    return zstandard.ZstdCompressionDict(between, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
