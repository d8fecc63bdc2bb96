"""ZIP (docx, xlsx, odt, jar, apk, epub, wheels): entries, and a directory at the end."""

from __future__ import annotations

import struct
import zipfile
import zlib
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO

from nubbin.documents.edits import File
from nubbin.documents.packing import (
    Members,
    NotUnpacked,
    Unpacked,
    inflated,
    named_apart,
)

_LOCAL, _LOCAL_BYTES = b"PK\3\4", 30
_LENGTHS = struct.Struct("<26x2H")  # in a local header, of the name and of the extra fields
_REST = struct.Struct("<3H2I")  # of a row in the directory, after what a local header has too
_END = struct.Struct("<4s4H2IH")
_ENCRYPTED, _LENGTHS_FOLLOW = 0x1, 0x8
_MAX_ENTRIES = 0xFFFF
_MAX_KEPT_BYTES = 1 << 20
_ZIP64 = 1  # an extra field that only archives of many gigabytes need


@dataclass(frozen=True, slots=True)
class _Entry:
    """An original entry: its row in the directory, its packed data, and its contents."""

    info: zipfile.ZipInfo
    raw: bytes
    data: bytes


def unpack(file: File, limit: int) -> Unpacked:
    """Take an archive apart."""
    data = file.data
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            infos, comment = archive.infolist(), archive.comment
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise NotUnpacked(str(error)) from error
    if len(infos) > _MAX_ENTRIES:
        raise NotUnpacked("more than a short directory holds")
    entries = []
    for info in infos:
        entries.append(_entry(data, info, limit))
        limit -= len(entries[-1].data)
    names = named_apart([info.filename for info in infos])
    by_name = dict(zip(names, entries, strict=True))
    members = {name: entry.data for name, entry in by_name.items()}
    first = min((info.header_offset for info in infos), default=0)
    return Unpacked(members, partial(_pack, data[:first], by_name, comment))


def _entry(data: bytes, info: zipfile.ZipInfo, limit: int) -> _Entry:
    start = info.header_offset
    try:
        lengths = _LENGTHS.unpack_from(data, start)
    except struct.error as error:
        raise NotUnpacked(str(error)) from error
    start += _LOCAL_BYTES + sum(lengths)
    raw = data[start : start + info.compress_size]
    if len(raw) < info.compress_size or len(raw) > limit:
        raise NotUnpacked("too large, or cut short")
    if not _is_deflated(info):
        return _Entry(info, raw, raw)
    text = inflated(raw, limit, -zlib.MAX_WBITS)
    if zlib.crc32(text) != info.CRC:
        raise NotUnpacked("a wrong checksum")
    return _Entry(info, raw, text)


def _is_deflated(info: zipfile.ZipInfo) -> bool:
    """Tell whether a member has inflated contents; other members have the data as they are."""
    return info.compress_type == zipfile.ZIP_DEFLATED and not info.flag_bits & _ENCRYPTED


def _pack(start: bytes, entries: dict[str, _Entry], comment: bytes, members: Members) -> bytes:
    parts, directory = [start], []
    at = len(start)
    for name, data in members.items():
        entry = entries[name]
        local, central, raw = _headers(entry, data, at)
        parts += [local, raw]
        directory.append(central)
        at += len(local) + len(raw)
    size = sum(map(len, directory))
    count = len(directory)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, size, at, len(comment))
    return b"".join((*parts, *directory, end, comment))


def _headers(entry: _Entry, data: bytes, at: int) -> tuple[bytes, bytes, bytes]:
    """Return the header of an entry, its row in the directory, and its packed data."""
    info, raw = copy(entry.info), entry.raw
    if data != entry.data:
        raw = _deflated(data) if _is_deflated(info) else data
        info.CRC, info.file_size = zlib.crc32(data), len(data)
    info.compress_size = len(raw)
    info.flag_bits &= ~_LENGTHS_FOLLOW
    info.extra = _extra(info.extra)
    local = info.FileHeader()
    shared, named = local[len(_LOCAL) : _LOCAL_BYTES], local[_LOCAL_BYTES:]
    made_by = bytes((info.create_version, info.create_system))
    rest = _REST.pack(len(info.comment), 0, info.internal_attr, info.external_attr, at)
    return local, b"".join((b"PK\1\2", made_by, shared, rest, named, info.comment)), raw


_deflate = partial(zlib.compress, wbits=-zlib.MAX_WBITS)
_kept = lru_cache(maxsize=64)(_deflate)


def _deflated(data: bytes) -> bytes:
    """Return the packed data of a member. Small ones are cached, because most do not change."""
    return _kept(data) if len(data) <= _MAX_KEPT_BYTES else _deflate(data)


def _extra(fields: bytes) -> bytes:
    """Return the extra fields of an entry, without the sizes of more than four gigabytes."""
    kept, at = b"", 0
    while at + 4 <= len(fields):
        kind, size = struct.unpack_from("<HH", fields, at)
        if kind != _ZIP64:
            kept += fields[at : at + 4 + size]
        at += 4 + size
    return kept
