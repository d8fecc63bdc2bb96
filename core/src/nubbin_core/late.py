"""What is imported when it is first used: functions that tables name, code of other packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def named(home: str) -> Any:
    """Import a module, and return what `module:name` or `module:name.attribute` names in it."""
    module, name = home.split(":")
    __import__(module)  # unlike `import_module`, `python -X importtime` shows it
    return attrgetter(name)(sys.modules[module])


def offered(group: str) -> EntryPoints:
    """Return what installed packages offer as entry points of a group, such as `nubbin.passes`."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - few runs need it

    return entry_points(group=group)


def late(home: str) -> Callable[..., Any]:
    """Return the function that `home` names, as for `named`; it is imported at its first call.

    A wrong name raises ImportError or AttributeError then. A test looks for all of them.
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
