"""Deltas: store a document as its difference from an earlier one."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from nubbin.documents.containers.zstd import zstd
from nubbin.documents.edits import Link

_LEVEL: dict[int, int] = {zstd.CompressionParameter.compression_level: 3}
_WINDOW_LOG = 27  # the compressor looks back 2^27 bytes
#: The least that the format takes as a dictionary.
_MIN_DICTIONARY_BYTES = 8
#: Texts are compared in parts, because what is made of them may be larger than they are.
_CHUNK_BYTES = 1 << 20


def delta(files: Mapping[str, bytes], base: Mapping[str, bytes]) -> bytes:
    """Return files, by path, as a compressed delta against a base.

    A delta leaves out the start and the end that the files share with the base. The base is the
    dictionary of the compressor, so in documents of less than a megabyte or so any deletion costs a
    few bytes. Links remain links. Linear.
    """
    new, old = b"".join(files.values()), b"".join(base.values())
    begin = common_start(new, old)
    end = common_end(new, old, min(len(new), len(old)) - begin)
    sizes = {path: len(data) for path, data in files.items()}
    links = [path for path, data in files.items() if isinstance(data, Link)]
    head = json.dumps([begin, end, sizes, *([links] if links else [])]).encode()
    between = memoryview(new)[begin : len(new) - end]
    # A pure deletion needs no dictionary, which would be a copy of what is removed.
    dictionary = _dictionary(old, begin, end) if between else None
    # Looking back that far takes as much memory, so it is done only with a dictionary.
    window = {int(zstd.CompressionParameter.window_log): _WINDOW_LOG} if dictionary else {}
    packer = zstd.ZstdCompressor(options=_LEVEL | window, zstd_dict=dictionary)
    packer.set_pledged_input_size(len(between))
    # Part by part, because room for what may come out of all takes as much memory as all.
    starts = range(0, len(between), _CHUNK_BYTES)
    parts = (packer.compress(between[start : start + _CHUNK_BYTES]) for start in starts)
    return b"".join((len(head).to_bytes(8, "big"), head, *parts, packer.flush()))


def applied(packed: bytes, base: Mapping[str, bytes], size: int | None = None) -> dict[str, bytes]:
    """Return the files that `delta` packed over the same base.

    Another user may have made the delta, so it is unpacked only if all sizes agree, also with the
    `size` of all files, in bytes. Raises ValueError, TypeError, LookupError, AttributeError,
    RecursionError or ZstdError for anything that `delta` would not have made.
    """
    start = 8 + int.from_bytes(packed[:8], "big")
    begin, end, sizes, *rest = json.loads(packed[8:start])
    if not all(type(each) is int and each >= 0 for each in (begin, end, *sizes.values())):
        raise ValueError("a size is not a number of bytes")
    links = set[str](*rest)
    old, total = b"".join(base.values()), sum(sizes.values())
    between = total - begin - end
    if begin + end > len(old) or total != (total if size is None else size):
        raise ValueError("the sizes do not agree")
    if zstd.get_frame_info(packed[start:]).decompressed_size != between:
        raise ValueError("the sizes do not agree")
    unpacker = zstd.ZstdDecompressor(
        _dictionary(old, begin, end), {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
    )
    unpacked = unpacker.decompress(packed[start:], between + 1)
    if len(unpacked) != between or not unpacker.eof:
        raise ValueError("the sizes do not agree")
    new = old[:begin] + unpacked + old[len(old) - end :]
    files, at = dict[str, bytes](), 0
    for path, length in sizes.items():
        data = new[at : at + length]
        files[path] = Link(data) if path in links else data
        at += length
    return files


def common_start(one: bytes, other: bytes) -> int:
    """Return the number of bytes that both begin with."""
    return _common_start(*(np.frombuffer(each, np.uint8) for each in (one, other)))


def common_end(one: bytes, other: bytes, most: int) -> int:
    """Return the number of bytes, at most `most`, that both end with."""
    return min(_common_start(*(np.frombuffer(each, np.uint8)[::-1] for each in (one, other))), most)


def _common_start(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> int:
    shorter = min(one.size, other.size)
    for start in range(0, shorter, _CHUNK_BYTES):
        stop = min(start + _CHUNK_BYTES, shorter)
        differ = np.flatnonzero(one[start:stop] != other[start:stop])
        if differ.size:
            return start + int(differ[0])
    return shorter


def _dictionary(old: bytes, begin: int, end: int) -> zstd.ZstdDict | None:
    between = old[begin : len(old) - end]
    return zstd.ZstdDict(between, is_raw=True) if len(between) >= _MIN_DICTIONARY_BYTES else None
