"""A pool that makes each call at once, or has a subclass queue it, as steering says."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from nubbin_core.in_line import Call, InLine
from nubbin_core.waiting import until

P = ParamSpec("P")
T = TypeVar("T")


class Pool(InLine, Executor):
    """An executor that makes as many calls at once as its `width` says at the time.

    That is `most`, which may be changed, or the number of `workers` if these are fewer; and one as
    long as calls are to be made `alone`. A single call is made when it is submitted, so that
    `submit` returns a finished future. That takes what the call raises, but only an `Exception`:
    Ctrl-C goes to the caller.
    """

    def __init__(self, most: float = 1, workers: Callable[[], float] = lambda: math.inf):
        self.most = most
        self.alone = False
        self._workers = workers

    @property
    def width(self) -> int:
        """How many calls are made at once by now."""
        return 1 if self.alone else int(min(self.most, self._workers()))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Make a single call, or queue one of several."""
        call = partial(fn, *args, **kwargs)
        return self.queue(call) if self.width > 1 else Pool.queue(self, call)

    def wait(self, calls: Collection[Call[Any]]) -> None:
        """Return when at least one of some calls is over, with Ctrl-C heard."""
        futures = cast("Collection[Future[Any]]", calls)
        if not any(future.done() for future in futures):
            until(lambda seconds: wait(futures, seconds, FIRST_COMPLETED).done)

    def queue(self, call: Callable[[], T]) -> Future[T]:
        """Make a call, in a thread if this pool has any: then it need not be over on return."""
        future: Future[T] = Future()
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)
        return future
