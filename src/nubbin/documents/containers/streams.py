"""gzip, bzip2, xz and zstd: compressed files with one member."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from io import BufferedIOBase, BytesIO
from pathlib import PurePosixPath
from typing import Final, Protocol

from nubbin.documents.containers.zstd import zstd
from nubbin.documents.edits import File
from nubbin.documents.packing import NotUnpacked, Unpacked
from nubbin_core.waiting import check_wanted


class _Packer(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


_PIECE_BYTES = 1 << 18  # xz packs this in a fifth of a second

_WITH_CHECKSUM: dict[int, int] = {zstd.CompressionParameter.checksum_flag: 1}

#: By the first bytes of a file: how to read it, and what packs contents.
_KINDS: Final[dict[bytes, tuple[Callable[[BytesIO], BufferedIOBase], Callable[[], _Packer]]]] = {
    b"\x1f\x8b": (
        lambda packed: gzip.GzipFile(fileobj=packed),
        lambda: zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16),
    ),
    b"BZh": (bz2.BZ2File, bz2.BZ2Compressor),
    b"\xfd7zXZ\0": (lzma.LZMAFile, lzma.LZMACompressor),
    b"\x28\xb5\x2f\xfd": (zstd.ZstdFile, lambda: zstd.ZstdCompressor(options=_WITH_CHECKSUM)),
}


def unpack(file: File, limit: int) -> Unpacked:
    """Take a compressed file apart: its member has its name without the suffix."""
    read, packer = next(kind for sign, kind in _KINDS.items() if file.data.startswith(sign))
    try:
        text = read(BytesIO(file.data)).read(limit + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
        raise NotUnpacked(str(error)) from error
    if len(text) > limit:
        raise NotUnpacked("too large")
    name = PurePosixPath(file.path).stem
    return Unpacked({name: text}, lambda members: _in_pieces(packer(), *members.values()))


def _in_pieces(packer: _Packer, data: bytes) -> bytes:
    """Return the packed data; this may take minutes, and ends early if it is no longer wanted."""
    packed: list[bytes] = []
    for at in range(0, len(data), _PIECE_BYTES):
        check_wanted.get()()
        packed.append(packer.compress(data[at : at + _PIECE_BYTES]))
    return b"".join((*packed, packer.flush()))
