"""tar: members in blocks of 512 bytes, each after a header with its length and a checksum."""

from __future__ import annotations

import tarfile
from functools import partial
from io import BytesIO

from nubbin.documents.edits import File
from nubbin.documents.packing import Members, NotUnpacked, Unpacked, named_apart

_SIZE, _CHECKSUM = slice(124, 136), slice(148, 156)


def unpack(file: File, limit: int) -> Unpacked:
    """Take an archive apart; folders and links are members without contents."""
    data = file.data
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as archive:
            infos = archive.getmembers()
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise NotUnpacked(str(error)) from error
    if not infos or any(info.issparse() for info in infos):
        raise NotUnpacked("nothing, or holes in files")
    headers, members = dict[str, bytes](), dict[str, bytes]()
    for name, info in zip(named_apart([each.name for each in infos]), infos, strict=True):
        headers[name] = data[info.offset : info.offset_data]
        size = info.size if info.isreg() else 0
        members[name] = data[info.offset_data : info.offset_data + size]
    end = infos[-1].offset_data + _padded(size)
    # The end has two empty blocks, and more up to a whole record.
    return Unpacked(members, partial(_pack, headers, data[end:]))


def _pack(headers: dict[str, bytes], end: bytes, members: Members) -> bytes:
    parts = []
    for name, data in members.items():
        parts += [_header(headers[name], len(data)), data.ljust(_padded(len(data)), b"\0")]
    return b"".join((*parts, end))


def _padded(size: int) -> int:
    return size + -size % tarfile.BLOCKSIZE


def _header(old: bytes, size: int) -> bytes:
    """Return a header with this length; headers before it, for a long name, are kept."""
    block = bytearray(old[-tarfile.BLOCKSIZE :])
    block[_SIZE] = b"%011o\0" % size
    block[_CHECKSUM] = b" " * 8
    block[_CHECKSUM] = b"%06o\0 " % sum(block)
    return old[: -tarfile.BLOCKSIZE] + bytes(block)
