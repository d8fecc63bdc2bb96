"""Texts as words of a shell, in quotes that a person reads and copies easily."""

from __future__ import annotations

import re
import shlex

# A shell reads these in double quotes in its own way.
_NEEDS_SINGLE = re.compile(r'["$`!]|\\(?:\\|\n|\Z)')


def quoted_word(text: str) -> str:
    """Return a text as a word: in double quotes if it has single ones, and that is possible."""
    return f'"{text}"' if "'" in text and not _NEEDS_SINGLE.search(text) else shlex.quote(text)


def sayable(pattern: str) -> str:
    """Return a regular expression that matches the same text, and maybe more, and can be quoted.

    If it has single quotes, and something that only single quotes protect, they match anything.
    """
    return pattern.replace("'", ".") if _NEEDS_SINGLE.search(pattern) else pattern
