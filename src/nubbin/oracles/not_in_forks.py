"""Clean-up that only the process that registered it may do."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")


def not_in_forks(end: Callable[P, None]) -> Callable[P, None]:
    """Return a function that calls `end`, but does nothing in a fork of this process.

    A fork inherits finalizers and exit handlers, and runs them when it exits. But the folders that
    they remove, and the processes that they kill, are still in use by the first process.
    """
    owner = os.getpid()

    @wraps(end)
    def unless_forked(*args: P.args, **kwargs: P.kwargs) -> None:
        if os.getpid() == owner:
            end(*args, **kwargs)

    return unless_forked
