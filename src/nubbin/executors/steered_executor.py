"""Queries on this machine, as many at a time as somebody may say later."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

from nubbin.executors.inline_executor import InlineExecutor
from nubbin.executors.local_executor import LocalExecutor

P = ParamSpec("P")
T = TypeVar("T")


class SteeredExecutor(Executor):
    """Makes calls in `threads`, at most as many as `jobs` says at the time; a single one inline."""

    def __init__(self, threads: LocalExecutor, jobs: Callable[[], int]):
        self._threads = threads
        self._jobs = jobs
        self._inline = InlineExecutor()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Make or queue a call."""
        self._threads.jobs = self._jobs()
        if self._threads.jobs == 1:
            return self._inline.submit(fn, *args, **kwargs)
        return self._threads.submit(fn, *args, **kwargs)
