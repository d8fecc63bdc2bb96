"""Write a page to its place; it replaces only an earlier page that was not changed."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from nubbin.access import Access
from nubbin.disk import beginning, check_place, write_whole
from nubbin.documents.stream import MAX_BYTES
from nubbin.pattern import pattern
from nubbin_core.errors import NubbinError

#: The first line of each page: a comment in HTML and Markdown, with a digest of the other lines.
_MARK = pattern(rb"<!-- nubbin report ([0-9a-f]{32}) -->\n")


def with_mark(page: str) -> bytes:
    """Return the bytes of a page, with a mark that detects changes."""
    data = page.encode()
    return b"<!-- nubbin report %b -->\n%b" % (_digest(data), data)


def write_page(page: str, place: Path, shown: Sequence[Path], *, named: bool = True) -> None:
    """Write a page to a place, completely or not at all.

    The page is as private as the most private of the `shown` files, or readable only by the user if
    one of them is missing. Writes to a device or a pipe if the user has `named` it. Raises
    NubbinError if there is anything but a page of nubbin, and OSError if it cannot be written.
    """
    check_place(place, takes_devices=named)
    if place.is_file() and not _is_ours(beginning(place, MAX_BYTES) or b""):
        raise NubbinError(
            f"There is something at {place} already that is not a report by nubbin, or was changed "
            "since. nubbin does not replace it. Move it away, or name another file."
        )
    access = Access.to_all(shown, place)
    write_whole(place, with_mark(page), access=access, takes_devices=named)


def _is_ours(data: bytes) -> bool:
    mark = _MARK.match(data)
    return mark is not None and mark[1] == _digest(data[mark.end() :])


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode()
