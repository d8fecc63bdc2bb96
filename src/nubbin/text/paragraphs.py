"""Fold text into lines of a width."""

from __future__ import annotations

import textwrap


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
