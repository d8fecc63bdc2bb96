"""Stop running calls in Dask workers. Imports `distributed`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from distributed import Worker, WorkerPlugin, get_worker

from nubbin.executors.remote_query import clear_worker
from nubbin.oracles.processes.cancellation import CancelToken

T = TypeVar("T")


class StopPlugin(WorkerPlugin):
    """Stops the calls of a worker that no query waits for any longer.

    With `own_group`, the worker gets a process group of its own, which Ctrl-C does not reach.
    """

    def __init__(self, name: str, *, own_group: bool):
        self.name = name
        self._own_group = own_group
        self._tokens: dict[str, CancelToken] = {}

    def setup(self, worker: Worker) -> None:
        """Begin in the process of a worker."""
        if self._own_group:
            os.setpgid(0, 0)

    def token(self, key: str) -> CancelToken:
        """Return the cancel token of a running task."""
        return self._tokens.get(key) or CancelToken()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Follow the states of a task; if it is released while it runs, stop it."""
        if finish == "executing":
            self._tokens[key] = CancelToken()
        elif start == "executing" and key in self._tokens:
            self._tokens.pop(key).cancel()  # has no effect if the task has ended

    def teardown(self, worker: Worker) -> None:
        """Stop all calls and close the oracles."""
        for token in list(self._tokens.values()):
            token.cancel()
        clear_worker()


def stoppable(plugin: str, call: Callable[[], T]) -> T:
    """Make a call in a worker, so that the plugin of this name can stop it."""
    worker: Any = get_worker()
    with worker.plugins[plugin].token(worker.get_current_task()).as_current():
        return call()
