"""All kinds of containers, and which one a file is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from nubbin.documents.containers import zip_archive
from nubbin.documents.containers.unpacked import NotUnpacked, Unpacked
from nubbin.documents.file import File

#: How a kind shows itself at the start of a file, and what takes one of at most so many bytes
#: apart.
_KINDS: Final[tuple[tuple[re.Pattern[bytes], Callable[[File, int], Unpacked]], ...]] = (
    (re.compile(rb"PK(\x03\x04|\x05\x06)"), zip_archive.unpack),
)


def unpacked(file: File, limit: int) -> Unpacked | None:
    """Take a container with at most `limit` bytes in it apart; None for any other file.

    Its contents tell what it is, not its name.
    """
    for sign, unpack in _KINDS:
        if sign.match(file.data):
            try:
                return unpack(file, limit)
            except NotUnpacked:
                return None
    return None
