"""Queries in a Dask cluster, each of which can be stopped while it runs.

Imports `distributed`, which takes half a second: import this only where there is a cluster.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from distributed import Client, LocalCluster, Worker, WorkerPlugin, get_worker
from distributed.comm.addressing import get_address_host_port
from distributed.scheduler import KilledWorker

from nubbin.executors.errand import forget
from nubbin.oracles.cancellation import Switch
from nubbin.oracles.errors import WrongTest

P = ParamSpec("P")
T = TypeVar("T")

_PATIENCE = 10  # seconds to reach the scheduler
_FRESH = 1.0  # seconds for which the number of workers is taken to stay as it is
_LIVES = 3  # times that the scheduler may give up a call for the workers that died over it


class ClusterExecutor(Executor):
    """The worker threads of a Dask cluster, as many as there are at the time.

    `address` is that of a scheduler (`tcp://host:8786`), or `local:N` for N processes of this
    machine, which end with the executor. A worker that dies costs time: what it did is done
    again by another. A call that is cancelled is stopped, as by `LocalExecutor`.

    Raises WrongTest where there is no such cluster, or its workers lack nubbin. Futures raise
    BrokenExecutor when the scheduler is gone, or a call has ended worker after worker.
    """

    def __init__(self, address: str):
        self._address = address
        self._stop = Stop(f"nubbin-{uuid4().hex}", apart=address.startswith("local:"))
        self._lost = False
        self._seen = (-_FRESH, 0)  # when, and how many threads
        with ExitStack() as stack:
            self._client: Any = _reach(address, stack)
            self._loop = self._client.loop.asyncio_loop
            try:
                self._client.register_plugin(self._stop)
            except ImportError as error:
                raise WrongTest(
                    f"The workers of the cluster at {address} cannot do without nubbin: {error}. "
                    "Install it there, in the same version as here."
                ) from None
            self._closing = stack.pop_all()

    @property
    def width(self) -> int:
        """How many calls run at once; at least one, for workers may be on their way."""
        then, threads = self._seen
        if time.monotonic() - then >= _FRESH:
            with suppress(OSError):  # what waits for a result will hear of it
                threads = sum(self._client.nthreads().values())
            self._seen = time.monotonic(), threads
        return max(1, threads)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a call made by a worker; it is pickled, and so is what it returns or raises."""
        call = partial(fn, *args, **kwargs)
        return asyncio.run_coroutine_threadsafe(self._done(call), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of the cluster; what still runs for this executor is stopped."""
        if not self._lost:
            with suppress(Exception):  # of workers that go themselves
                self._client.unregister_worker_plugin(self._stop.name)
        # We say ourselves, and once, that the connection is lost.
        log = logging.getLogger("distributed.client")
        log.disabled = self._lost
        try:
            self._closing.close()
        finally:
            log.disabled = False

    async def _done(self, call: Callable[[], T]) -> T:
        for _ in range(_LIVES):
            if self._lost:
                break
            task = self._client.submit(_stoppable, self._stop.name, call, pure=False)
            try:
                # Dask gathers for several at once: to cancel one must not cancel that.
                gathering = asyncio.ensure_future(self._client.gather(task, asynchronous=True))
                gathering.add_done_callback(_heard)
                return await asyncio.shield(gathering)
            except KilledWorker:
                continue  # which is no answer
            except CancelledError:  # by Dask; when our future is, asyncio raises its own
                self._lost = True
            finally:
                task.release()
        if self._lost:
            raise BrokenExecutor(f"the cluster at {self._address} is gone")
        raise BrokenExecutor(f"workers at {self._address} die whenever they make this call")


class Stop(WorkerPlugin):
    """In each worker: stops the calls that nobody waits for any more.

    With `apart`, the worker leaves the process group, so that Ctrl-C reaches only the driver.
    """

    def __init__(self, name: str, *, apart: bool):
        self.name = name
        self._apart = apart
        self._switches: dict[str, Switch] = {}

    def setup(self, worker: Worker) -> None:
        """Begin, in the process of the worker."""
        if self._apart:
            os.setpgid(0, 0)

    def switch(self, key: str) -> Switch:
        """Return the switch of a task that runs."""
        return self._switches.get(key) or Switch()

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Hear of a task from the worker: one that is released while it runs is unwanted."""
        if finish == "executing":
            self._switches[key] = Switch()
        elif start == "executing" and key in self._switches:
            self._switches.pop(key).throw()  # one that has ended does not care

    def teardown(self, worker: Worker) -> None:
        """Stop what runs, and close the oracles."""
        for switch in list(self._switches.values()):
            switch.throw()
        forget()


def _heard(gathering: asyncio.Future[Any]) -> None:
    """Look at how something ended, so that nothing is logged when nobody else does."""
    if not gathering.cancelled():
        gathering.exception()


def _stoppable(plugin: str, call: Callable[[], T]) -> T:
    """Make a call, in a worker, so that it can be stopped from outside."""
    worker: Any = get_worker()
    with worker.plugins[plugin].switch(worker.get_current_task()).open():
        return call()


def _reach(address: str, stack: ExitStack) -> Any:
    """Return a client of a cluster; `stack` closes both."""
    kind, _, count = address.partition(":")
    try:
        if kind == "local":
            local = LocalCluster(
                n_workers=int(count),
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,
            )
            stack.enter_context(local)
            return stack.enter_context(Client(local, set_as_default=False))
        get_address_host_port(address)  # a client does not get over an address that is none
        return stack.enter_context(Client(address, timeout=_PATIENCE, set_as_default=False))
    except (OSError, ValueError) as error:
        raise WrongTest(
            f"There is no Dask scheduler to be reached at {address}: {error}. Give the address "
            "that `dask scheduler` prints, tcp://host:8786 for instance, or local:N for N "
            "processes on this machine."
        ) from None
