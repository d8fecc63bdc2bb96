"""nubbin finds the smallest input that still makes your program misbehave."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nubbin.search.minimize import Minimization, minimize

__all__ = ["Minimization", "minimize"]

_HOMES = {"Minimization": "nubbin.search.minimize", "minimize": "nubbin.search.minimize"}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for, so that `nubbin --help` needs no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'nubbin' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
