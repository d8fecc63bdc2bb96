"""Texts as words of a shell, in quotes that a person reads and copies easily."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

# A shell reads these in double quotes in its own way.
_NEEDS_SINGLE = re.compile(r'["$`!]|\\(?:\\|\n|\Z)')


def quoted_word(text: str) -> str:
    """Return a text as a word: in double quotes if it has single ones, and that is possible."""
    return f'"{text}"' if "'" in text and not _NEEDS_SINGLE.search(text) else shlex.quote(text)


def quoted_path(path: Path, folder: str) -> str:
    """Return a path as a word of a command line in a folder."""
    is_below = path.is_relative_to(folder)
    return quoted_word(f"./{path.relative_to(folder)}" if is_below else str(path))


def sayable(pattern: str) -> str:
    """Return a regular expression that matches the same text, and maybe more, and can be quoted.

    If it has single quotes, and something that only single quotes protect, they match anything.
    """
    return pattern.replace("'", ".") if _NEEDS_SINGLE.search(pattern) else pattern
