"""Late imports: functions that tables name, and code of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def named(home: str) -> Any:
    """Import and return the object that `module:name` or `module:name.attribute` names."""
    module, name = home.split(":")
    __import__(module)  # unlike `import_module`, `python -X importtime` shows it
    return attrgetter(name)(sys.modules[module])


def offered(group: str) -> EntryPoints:
    """Return the entry points of a group, such as `nubbin.passes`, in all installed packages."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - few runs need it

    return entry_points(group=group)


def late(home: str) -> Callable[..., Any]:
    """Return a function that imports the one `home` names (see `named`) at its first call.

    That call raises ImportError or AttributeError for a wrong name. A test tries all names.
    """
    return _Late(home)


class _Late:
    def __init__(self, home: str):
        self._home = home

    @cached_property
    def function(self) -> Callable[..., Any]:
        found: Callable[..., Any] = named(self._home)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)
