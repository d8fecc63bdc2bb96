"""Compile regular expressions at their first use, because a reduction uses few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a replacement for `re.compile(source, flags)`, which is compiled at its first use.

    It has the methods of a pattern, and they raise `re.error`. The functions of `re` reject it.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


class _Pattern:
    def __init__(self, source: str | bytes, flags: int):
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern, and keep its method for the next call."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
