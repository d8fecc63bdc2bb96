"""Quote texts as words of a shell so that people can read and copy them."""

from __future__ import annotations

import shlex
from pathlib import Path

from nubbin.pattern import pattern

# The shell expands these inside double quotes.
_NEEDS_SINGLE = pattern(r'["$`!]|\\(?:\\|\n|\Z)')


def quoted_word(text: str) -> str:
    """Return a text as a shell word: in double quotes if it contains single ones, if possible."""
    return f'"{text}"' if "'" in text and not _NEEDS_SINGLE.search(text) else shlex.quote(text)


def quoted_path(path: Path, folder: str) -> str:
    """Return a path as a shell word, relative to a folder that contains it."""
    is_below = path.is_relative_to(folder)
    return quoted_word(f"./{path.relative_to(folder)}" if is_below else str(path))


def sayable(pattern: str) -> str:
    """Return a regular expression that can be quoted, and matches at least the same text.

    If only single quotes would protect it, each single quote in it becomes `.`.
    """
    return pattern.replace("'", ".") if _NEEDS_SINGLE.search(pattern) else pattern
