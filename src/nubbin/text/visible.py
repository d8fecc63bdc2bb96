"""Write foreign text for a terminal: escaped, so that it is not obeyed, and folded."""

from __future__ import annotations

import textwrap


def visible(text: str) -> str:
    r"""Return a text with escapes for everything unprintable, except line breaks and tabs.

    Control characters, marks that change the direction of text, and bytes that are not UTF-8
    become `\x1b`, `\u202e`, `\xff` and so on. Takes linear time.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def printable(value: object) -> str:
    """Return a value, such as a name or a path, on one line, with the escapes of `visible`."""
    return "".join(char if char.isprintable() else _escape(char) for char in str(value))


def utf8(value: object) -> str:
    r"""Return a name or a path for JSON, with `\xff` for a byte that is not UTF-8."""
    return str(value).encode(errors="surrogateescape").decode(errors="backslashreplace")


def folded(text: str, columns: int, indent: str = "") -> str:
    """Return a text in lines of at most so many columns, each after the indent.

    Lines that begin with a blank, such as quoted ones, are kept. Words are not broken, because a
    reader may want to copy a path.
    """
    wrapper = textwrap.TextWrapper(
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(
        f"{indent}{line}" if line.startswith(" ") else wrapper.fill(line)
        for line in text.splitlines()
    )


def _visible(char: str) -> str:
    return char if char.isprintable() or char in "\n\t" else _escape(char)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # Python decodes a byte that is not UTF-8 as one of these
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()
