"""Run queries in a Dask cluster, and stop them while they run.

Imports `distributed`, which takes half a second: import this only if there is a cluster.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from distributed import Client, LocalCluster, Worker, WorkerPlugin, get_worker
from distributed.comm.addressing import get_address_host_port
from distributed.scheduler import KilledWorker

from nubbin.executors.cluster_address import processes_here, unreachable
from nubbin.executors.remote_oracle import clear_worker
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import join, until

P = ParamSpec("P")
T = TypeVar("T")

_CONNECT_TIMEOUT_S = 10.0  # and to disconnect
_COUNT_PERIOD_S = 1.0  # between two counts of the workers
_MAX_SILENT_PERIODS = 60  # after that, the scheduler counts as lost
_MAX_SUBMITS = 3  # of one call, if its workers die


class ClusterExecutor(Executor):
    """The worker threads of a Dask cluster, whose number may change.

    `address` is a scheduler (`tcp://host:8786`), or `local:N` for N processes of this machine,
    which end with the executor; then the attribute `address` is that of their scheduler, for
    executors that share them. If a worker dies, another makes its call again. A cancelled call is
    stopped, as by `Threads`.

    Raises NubbinError if there is no such cluster, or if its workers lack nubbin. Futures raise
    BrokenExecutor if the scheduler is gone, or silent for a minute, or if several workers have died
    of the call, one after the other.
    """

    # Dask runs in an event loop of our own, so that no wait for it blocks us for long.

    def __init__(self, address: str):
        self.address = self._given = address
        self._processes = processes_here(address)
        self._stop = StopPlugin(f"nubbin-{uuid4().hex}", own_group=self._processes is not None)
        self._worker_threads = 0
        self._closed = False
        self._main_task: asyncio.Task[None] | None = None
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="nubbin-dask", daemon=True)
        self._thread.start()
        try:
            until(lambda period: wait([self._ready], period).done)
            self._ready.result()
        except BaseException:
            self.shutdown()
            raise

    @property
    def has_workers(self) -> bool:
        """Whether there are any workers."""
        return self._worker_threads > 0

    @property
    def width(self) -> int:
        """The number of calls that run at once; at least one: workers may still be starting."""
        return max(1, self._worker_threads)

    def __str__(self) -> str:
        return f"the cluster at {self._given}"

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Let a worker make a call, which is pickled; raises RuntimeError after `shutdown`."""
        if self._closed:
            raise RuntimeError("the executor has been shut down")
        call = partial(fn, *args, **kwargs)
        return asyncio.run_coroutine_threadsafe(self._call(call), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster, and stop all calls of this executor that still run."""
        self._closed = True
        if self._main_task is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._main_task.cancel)
        if wait:
            join(self._thread)

    # -- in the loop -------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _main(self) -> None:
        """Connect, and stay connected until this task is cancelled."""
        self._loop = asyncio.get_running_loop()
        # Its result, set when the scheduler is lost, is the reason.
        self._lost: asyncio.Future[str] = self._loop.create_future()
        self._main_task = asyncio.current_task()
        async with AsyncExitStack() as stack:
            stack.enter_context(_quiet())
            if not self._closed:
                await self._open(stack)
                self._ready.set_result(None)
                await self._keep_counting()

    async def _open(self, stack: AsyncExitStack) -> None:
        """Connect, and install the plugin that stops calls; `stack` undoes everything."""
        try:
            self._client = await self._connect(stack)
            self._worker_threads = await asyncio.wait_for(self._count_threads(), _CONNECT_TIMEOUT_S)
        except (OSError, ValueError) as error:
            raise unreachable(self._given, _reason(error)) from None
        except Exception as error:
            reason = f"what answers is not a scheduler ({type(error).__name__}: {error})"
            raise unreachable(self._given, reason) from None
        stack.push_async_callback(self._uninstall)
        try:
            await asyncio.wait_for(
                self._client.register_plugin(self._stop), _MAX_SILENT_PERIODS * _COUNT_PERIOD_S
            )
        except Exception as error:
            raise NubbinError(
                f"The workers of {self} cannot be made ready: {_reason(error)}. Every worker needs "
                "nubbin, in the same version as here."
            ) from None

    async def _connect(self, stack: AsyncExitStack) -> Any:
        if self._processes is not None:
            local = LocalCluster(
                n_workers=self._processes,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,
                asynchronous=True,
            )
            await stack.enter_async_context(local)
            self.address = local.scheduler_address
            client = Client(local, asynchronous=True, set_as_default=False)
            return await stack.enter_async_context(client)
        get_address_host_port(self._given)  # a client would hang on a wrong address
        client = Client(
            self._given, timeout=_CONNECT_TIMEOUT_S / 2, asynchronous=True, set_as_default=False
        )
        stack.push_async_callback(_close, client)
        return await asyncio.wait_for(client, _CONNECT_TIMEOUT_S)

    async def _uninstall(self) -> None:
        if not self._lost.done():
            with suppress(Exception):  # the workers may be ending, too
                uninstalling = self._client.unregister_worker_plugin(self._stop.name)
                await asyncio.wait_for(uninstalling, _CONNECT_TIMEOUT_S)

    async def _count_threads(self) -> int:
        return sum((await self._client.nthreads()).values())

    async def _keep_counting(self) -> None:
        """Count the threads of the workers until this task is cancelled."""
        while True:
            await asyncio.sleep(_COUNT_PERIOD_S)
            counting = asyncio.ensure_future(self._count_threads())
            counting.add_done_callback(_retrieve_exception)
            # In short periods: if this machine sleeps for an hour, the scheduler was not silent.
            for _ in range(_MAX_SILENT_PERIODS):
                if not counting.done():
                    await asyncio.wait([counting], timeout=_COUNT_PERIOD_S)
            if not counting.done():
                self._lose("does not answer any more")
            with suppress(Exception):  # if the scheduler is gone, calls fail, too
                self._worker_threads = await counting

    def _lose(self, reason: str) -> None:
        if not self._lost.done():
            self._lost.set_result(f"the scheduler at {self._given} {reason}")

    async def _call(self, call: Callable[[], T]) -> T:
        for _ in range(_MAX_SUBMITS):
            if self._lost.done():
                break
            task = self._client.submit(stoppable, self._stop.name, call, pure=False)
            try:
                # Dask gathers several calls together: do not cancel them with one of them.
                gathering = asyncio.ensure_future(self._client.gather(task, asynchronous=True))
                gathering.add_done_callback(_retrieve_exception)
                await asyncio.wait([gathering, self._lost], return_when=FIRST_COMPLETED)
                if gathering.done():
                    result: T = gathering.result()
                    return result
            except KilledWorker:
                continue
            except CancelledError:  # by Dask; if we cancel, asyncio raises its own error
                self._lose("is gone")
            finally:
                task.release()
        if self._lost.done():
            raise BrokenExecutor(self._lost.result())
        raise BrokenExecutor(f"workers at {self._given} die whenever they make this call")


def _retrieve_exception(gathering: asyncio.Future[Any]) -> None:
    """Retrieve the exception, because asyncio logs exceptions that are never retrieved."""
    if not gathering.cancelled():
        gathering.exception()


async def _close(client: Any) -> None:
    with suppress(Exception):
        await asyncio.wait_for(client.close(), _CONNECT_TIMEOUT_S)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging errors that nubbin reports itself."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    silenced = [log for log in map(logging.getLogger, names) if not log.disabled]
    for log in silenced:
        log.disabled = True
    try:
        yield
    finally:
        for log in silenced:
            log.disabled = False


def _reason(error: BaseException) -> str:
    if not str(error):
        return "no answer" if isinstance(error, TimeoutError) else type(error).__name__
    # The cause is the error of the last of several attempts.
    return f"{error}: {error.__cause__}" if error.__cause__ else str(error)


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
