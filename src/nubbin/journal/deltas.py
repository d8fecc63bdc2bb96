"""Documents as what differs from the one before."""

from __future__ import annotations

import json
from collections.abc import Mapping

import zstandard

#: At most so many bytes of the document before are looked through for what is still there.
_WINDOW_LOG = 27


def delta(files: Mapping[str, bytes], base: Mapping[str, bytes]) -> bytes:
    """Return files by path, compressed, with the document before as the dictionary.

    What was deleted from the one before costs a few bytes a place.
    """
    sizes = json.dumps({path: len(data) for path, data in files.items()}).encode()
    whole = len(sizes).to_bytes(8, "big") + sizes + b"".join(files.values())
    parameters = zstandard.ZstdCompressionParameters.from_level(
        3, window_log=_WINDOW_LOG, enable_ldm=True
    )
    packer = zstandard.ZstdCompressor(
        compression_params=parameters, dict_data=_dictionary(base) if base else None
    )
    return packer.compress(whole)


def applied(packed: bytes, base: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that `delta` packed over the same base."""
    unpacker = zstandard.ZstdDecompressor(
        dict_data=_dictionary(base) if base else None, max_window_size=1 << _WINDOW_LOG
    )
    whole = unpacker.decompress(packed)
    at = 8 + int.from_bytes(whole[:8], "big")
    files = {}
    for path, size in json.loads(whole[8:at]).items():
        files[path] = whole[at : at + size]
        at += size
    return files


def _dictionary(base: Mapping[str, bytes]) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(
        b"".join(base.values()), dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )
