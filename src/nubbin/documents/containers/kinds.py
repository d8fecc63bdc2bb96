"""All kinds of containers, which are recognised by their contents."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from nubbin.documents.containers import (
    java_class,
    pdf_document,
    png_image,
    sqlite_database,
    streams,
    tar_archive,
    zip_archive,
)
from nubbin.documents.containers.unpacked import NotUnpacked, Unpacked
from nubbin.documents.containers.wasm import module as wasm_module
from nubbin.documents.file import File

#: The first bytes of each kind, and the function that takes one apart. Its number limits the bytes
#: to which compressed members unpack.
_KINDS: Final[tuple[tuple[re.Pattern[bytes], Callable[[File, int], Unpacked]], ...]] = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), zip_archive.unpack),
    (re.compile(rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd"), streams.unpack),
    (re.compile(rb"(?s).{257}ustar"), tar_archive.unpack),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), png_image.unpack),
    (re.compile(rb"%PDF-"), pdf_document.unpack),
    (re.compile(rb"(?s)\xca\xfe\xba\xbe..\0[\x2d-\xff]"), java_class.unpack),
    (re.compile(rb"\0asm\x01\0\0\0"), wasm_module.unpack),
    (re.compile(rb"SQLite format 3\0"), sqlite_database.unpack),
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
