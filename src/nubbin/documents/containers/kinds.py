"""All kinds of containers, which are recognised by their contents."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from nubbin.documents.containers.unpacked import NotUnpacked, Unpacked
from nubbin.documents.file import File
from nubbin_core.late import late

_HERE = "nubbin.documents.containers"

#: The first bytes of each kind, and the function that takes one apart. Its number limits the bytes
#: to which compressed members unpack.
_KINDS: Final[tuple[tuple[re.Pattern[bytes], Callable[[File, int], Unpacked]], ...]] = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), late(f"{_HERE}.zip_archive:unpack")),
    (re.compile(rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd"), late(f"{_HERE}.streams:unpack")),
    (re.compile(rb"(?s).{257}ustar"), late(f"{_HERE}.tar_archive:unpack")),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), late(f"{_HERE}.png_image:unpack")),
    (re.compile(rb"%PDF-"), late(f"{_HERE}.pdf_document:unpack")),
    (re.compile(rb"(?s)\xca\xfe\xba\xbe..\0[\x2d-\xff]"), late(f"{_HERE}.java_class:unpack")),
    (re.compile(rb"\0asm\x01\0\0\0"), late(f"{_HERE}.wasm.module:unpack")),
    (re.compile(rb"SQLite format 3\0"), late(f"{_HERE}.sqlite_database:unpack")),
)


def unpacked(file: File, limit: int) -> Unpacked | None:
    """Take apart a container with at most `limit` bytes in it; None for any other file.

    The contents decide which kind it is, and not the name.
    """
    for sign, unpack in _KINDS:
        if sign.match(file.data):
            try:
                return unpack(file, limit)
            except NotUnpacked:
                return None
    return None
