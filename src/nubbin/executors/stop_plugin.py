"""How a call is stopped in a Dask worker while it runs. Imports `distributed`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from distributed import Worker, WorkerPlugin, get_worker

from nubbin.executors.remote_query import clear_worker
from nubbin.oracles.cancellation import CancelToken

T = TypeVar("T")


class StopPlugin(WorkerPlugin):
    """In each worker: stops the calls that nobody waits for any more.

    With `apart`, the worker leaves the process group, so that Ctrl-C reaches only the driver.
    """

    def __init__(self, name: str, *, apart: bool):
        self.name = name
        self._apart = apart
        self._tokens: dict[str, CancelToken] = {}

    def setup(self, worker: Worker) -> None:
        """Begin, in the process of the worker."""
        if self._apart:
            os.setpgid(0, 0)

    def token(self, key: str) -> CancelToken:
        """Return the switch of a task that runs."""
        return self._tokens.get(key) or CancelToken()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Hear of a task from the worker: one that is released while it runs is unwanted."""
        if finish == "executing":
            self._tokens[key] = CancelToken()
        elif start == "executing" and key in self._tokens:
            self._tokens.pop(key).cancel()  # one that has ended does not care

    def teardown(self, worker: Worker) -> None:
        """Stop what runs, and close the oracles."""
        for token in list(self._tokens.values()):
            token.cancel()
        clear_worker()


def stoppable(plugin: str, call: Callable[[], T]) -> T:
    """Make a call, in a worker, so that it can be stopped from outside."""
    worker: Any = get_worker()
    with worker.plugins[plugin].token(worker.get_current_task()).as_current():
        return call()
