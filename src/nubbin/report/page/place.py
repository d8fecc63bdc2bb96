"""The place of a page: it replaces an earlier page that nobody has changed, and nothing else."""

from __future__ import annotations

import os
import re
import secrets
import sys
from hashlib import blake2b
from pathlib import Path

from nubbin.oracles.errors import NubbinError

#: The first line of each page, a comment in HTML and in Markdown, with a digest of all others.
_MARK = re.compile(rb"<!-- nubbin report ([0-9a-f]{32}) -->\n")


def marked(page: str) -> bytes:
    """Return the bytes of a page, with a mark that shows whether anybody has changed it."""
    data = page.encode()
    return b"<!-- nubbin report %b -->\n%b" % (_digest(data), data)


def write_page(page: str, place: Path) -> None:
    """Write a page to a place, whole or not at all; `-` is standard output.

    A device or a pipe is written to. Raises NubbinError if there is anything else than a page that
    nubbin wrote, OSError if it cannot be written.
    """
    data = marked(page)
    if str(place) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    elif place.exists() and not place.is_file() and not place.is_dir():
        place.write_bytes(data)
    else:
        _check(place)
        _replace(place, data)


def _check(place: Path) -> None:
    """Raise NubbinError unless a page may be written to a place."""
    if place.is_dir():
        raise NubbinError(f"{place} is a folder. Name a file for the report.")
    if not place.parent.is_dir():
        raise NubbinError(f"{place} is in a folder that does not exist. Make it, or name another.")
    if os.path.lexists(place) and (place.is_symlink() or not _is_ours(place.read_bytes())):
        raise NubbinError(
            f"There is something at {place} already that is not a report by nubbin, or was changed "
            "since. It is left as it is: move it away, or name another file."
        )


def _is_ours(data: bytes) -> bool:
    mark = _MARK.match(data)
    return mark is not None and mark[1] == _digest(data[mark.end() :])


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode()


def _replace(place: Path, data: bytes) -> None:
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
