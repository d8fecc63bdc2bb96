"""Nesting: what a grammar's own code does not survive."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

# The scanners of some grammars stack what is open in a buffer of 1024 bytes and never look
# whether it is full: the process ends there. A level of YAML or of Markdown takes four of
# these bytes and begins with marks and blanks at the head of a line; YAML may put two levels,
# a mapping and a list in it, in one column. A template in a string of Kotlin takes one.
_YAML = re.compile(rb"(?:\A|[\r\n])[ \t?:-]{100}")
_MARKDOWN = re.compile(rb"(?:\A|[\r\n])[ \t>*+.)0-9-]{200}")

_BREAKS: Final[dict[str, Callable[[bytes], bool]]] = {
    "yaml": lambda data: _YAML.search(data) is not None,
    "markdown": lambda data: _MARKDOWN.search(data) is not None,
    "kotlin": lambda data: data.count(b"${") > 500,
}


def breaks(language: str, data: bytes) -> bool:
    """Tell whether the grammar of a language might crash on a document, rather than fail."""
    return language in _BREAKS and _BREAKS[language](data)
