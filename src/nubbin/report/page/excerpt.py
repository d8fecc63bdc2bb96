"""Contents of files as text for a person: escapes for what is unprintable, hex for binaries."""

from __future__ import annotations

from nubbin.documents.file import Link
from nubbin.report.figures import count
from nubbin.report.visible import printable, visible

_COLUMNS = 16  # bytes in a row of a hex dump
_MAX_UNREADABLE_FRACTION = 0.1
_LAYOUT = b"\t\n\r\f\x1b"


def is_text(data: bytes) -> bool:
    """Tell whether a person can read most of the bytes as text; linear."""
    text = data.decode(errors="replace")
    unreadable = text.count("\ufffd") + sum(data.count(byte) for byte in _CONTROLS)
    return unreadable <= _MAX_UNREADABLE_FRACTION * len(data) and b"\0" not in data


def titled(path: str, data: bytes) -> str:
    """Return what is written above an excerpt: of a link, that these are not contents."""
    return printable(path) + (" (a link)" if isinstance(data, Link) else "")


def excerpt(data: bytes, limit: int) -> str:
    """Return the bytes as text or as a hex dump, cut after about `limit` characters, as it says."""
    shown = _text if is_text(data) else _hex_dump
    whole = shown(data[:limit])
    if len(whole) <= limit and len(data) <= limit:
        return whole
    cut = whole[:limit].rpartition("\n")[0] or whole[:limit]
    return f"{cut}\n... cut off here: these are {count(len(data))} bytes in all"


def _text(data: bytes) -> str:
    return visible(data.decode(errors="surrogateescape"))


def _hex_dump(data: bytes) -> str:
    """Return rows of an offset, 16 bytes, and those of them that are printable ASCII."""
    rows = (data[at : at + _COLUMNS] for at in range(0, len(data), _COLUMNS))
    return "\n".join(
        f"{number * _COLUMNS:08x}  {row.hex(' '):{3 * _COLUMNS}} {row.translate(_ASCII).decode()}"
        for number, row in enumerate(rows)
    )


_CONTROLS = [bytes([byte]) for byte in range(32) if byte not in _LAYOUT]
_ASCII = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))
