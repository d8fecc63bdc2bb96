"""Regular expressions that are compiled when they are first used: a reduction uses few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what can do all that `re.compile(source, flags)` can, but is compiled later.

    The functions of `re` do not take it; its methods raise `re.error` at their first use.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


class _Pattern:
    def __init__(self, source: str | bytes, flags: int):
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern, which `re` remembers, and keep its method for the next call."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
