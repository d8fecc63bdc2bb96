"""Text from outside as it may be shown: a terminal obeys nothing in it."""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return a text with escapes for everything unprintable but line breaks and tabs.

    What commands a terminal, reverses the direction of writing or is not UTF-8 becomes `\x1b`,
    `\u202e`, `\xff`. Linear.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def printable(value: object) -> str:
    """Return a name, a path or any other value on one line, with escapes as in `visible`."""
    return "".join(char if char.isprintable() else _escape(char) for char in str(value))


def utf8(value: object) -> str:
    r"""Return a name or a path with `\xff` for a byte that is not UTF-8, which JSON has not."""
    return str(value).encode(errors="surrogateescape").decode(errors="backslashreplace")


def _visible(char: str) -> str:
    return char if char.isprintable() or char in "\n\t" else _escape(char)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # how Python writes a byte that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
