"""Show the contents of files: text with escapes, and binary data as hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.documents.file import Link
from nubbin.text.figures import count, printable, visible

_COLUMNS = 16  # bytes in a row of a hex dump
_MAX_UNREADABLE_FRACTION = 0.1
_LAYOUT = b"\t\n\r\f\x1b"


def is_text(data: bytes) -> bool:
    """Tell whether most of the bytes are readable text; takes linear time."""
    text = data.decode(errors="replace")
    unreadable = text.count("\ufffd") + len(data) - len(data.translate(None, _CONTROLS))
    return unreadable <= _MAX_UNREADABLE_FRACTION * len(data) and b"\0" not in data


def titled(path: str, data: bytes) -> str:
    """Return the heading of an excerpt: a path, and whether the contents are those of a link."""
    return printable(path) + (" (a link)" if isinstance(data, Link) else "")


def readable(data: bytes, limit: int) -> str:
    """Return bytes as text or as a hex dump, cut after about `limit` characters with a note."""
    start = data[:limit]
    whole = as_text(start) if is_text(data) else "\n".join(" ".join(row) for row in hex_rows(start))
    if len(whole) <= limit and len(data) <= limit:
        return whole
    cut = whole[:limit].rpartition("\n")[0] or whole[:limit]
    return f"{cut}\n... cut off here: these are {count(len(data))} bytes in all"


def as_text(data: bytes) -> str:
    """Return bytes as UTF-8; escapes replace anything unprintable or not UTF-8, as in `visible`."""
    return visible(data.decode(errors="surrogateescape"))


def hex_rows(data: bytes, at: int = 0) -> Iterator[tuple[str, str]]:
    """Yield rows of 16 bytes: the offset, counted from `at`, and the bytes in hex and ASCII."""
    for start in range(0, len(data), _COLUMNS):
        row = data[start : start + _COLUMNS]
        ascii_ = row.translate(_ASCII).decode()
        yield f"{at + start:08x}", f" {row.hex(' '):{3 * _COLUMNS}} {ascii_}"


_CONTROLS = bytes(byte for byte in range(32) if byte not in _LAYOUT)
_ASCII = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))
