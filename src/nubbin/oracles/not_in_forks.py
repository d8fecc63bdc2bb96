"""What a process has made, it ends itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")


def not_in_forks(end: Callable[P, None]) -> Callable[P, None]:
    """Return a call that does nothing in a fork of this process.

    A fork inherits finalizers and the like, and runs them when it exits. The folders that they
    would remove, and the processes that they would kill, are still in use by the first process.
    """
    maker = os.getpid()

    @wraps(end)
    def unless_forked(*args: P.args, **kwargs: P.kwargs) -> None:
        if os.getpid() == maker:
            end(*args, **kwargs)

    return unless_forked
