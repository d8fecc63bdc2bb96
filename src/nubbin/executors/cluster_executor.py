"""Queries in a Dask cluster, each of which can be stopped while it runs.

Imports `distributed`, which takes half a second: import this only where there is a cluster.
"""

from __future__ import annotations

import asyncio
import logging
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

from distributed import Client, LocalCluster
from distributed.comm.addressing import get_address_host_port
from distributed.scheduler import KilledWorker

from nubbin.executors.cluster_address import processes_here, unreachable
from nubbin.executors.stop_plugin import StopPlugin, stoppable
from nubbin.oracles.errors import NubbinError
from nubbin.waiting import join, until

P = ParamSpec("P")
T = TypeVar("T")

_PATIENCE_S = 10.0  # to reach a scheduler, and to take leave of it
_PULSE_S = 1.0  # between two looks at how many workers there are
_SILENCE = 60  # pulses without an answer after which a scheduler is gone
_LIVES = 3  # times that the scheduler may give up a call for the workers that died over it


class ClusterExecutor(Executor):
    """The worker threads of a Dask cluster, as many as there are at the time.

    `address` is that of a scheduler (`tcp://host:8786`), or `local:N` for N processes of this
    machine, which end with the executor. A worker that dies costs time: what it did is done
    again by another. A call that is cancelled is stopped, as by `LocalExecutor`.

    Raises NubbinError where there is no such cluster, or its workers lack nubbin. Futures raise
    BrokenExecutor when the scheduler is gone, or silent for a minute, or a call has ended worker
    after worker.
    """

    # Dask runs in a loop of our own, so that no wait for it is longer than we want.

    def __init__(self, address: str):
        self._address = address
        self._processes = processes_here(address)
        self._stop = StopPlugin(f"nubbin-{uuid4().hex}", apart=self._processes is not None)
        self._threads = 0
        self._closed = False
        self._life: asyncio.Task[None] | None = None
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
    def manned(self) -> bool:
        """Whether there are workers."""
        return self._threads > 0

    @property
    def width(self) -> int:
        """How many calls run at once; at least one, for workers may be on their way."""
        return max(1, self._threads)

    def __str__(self) -> str:
        return f"the cluster at {self._address}"

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a call made by a worker; it is pickled, and so is what it returns or raises.

        Raises RuntimeError after `shutdown`.
        """
        if self._closed:
            raise RuntimeError("the executor has been shut down")
        call = partial(fn, *args, **kwargs)
        return asyncio.run_coroutine_threadsafe(self._done(call), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of the cluster; what still runs for this executor is stopped."""
        self._closed = True
        if self._life is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._life.cancel)
        if wait:
            join(self._thread)

    # -- in the loop -------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    async def _live(self) -> None:
        """Be connected, until this is cancelled."""
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[str] = self._loop.create_future()  # and what became of it
        self._life = asyncio.current_task()
        async with AsyncExitStack() as stack:
            if not self._closed:
                await self._open(stack)
                self._ready.set_result(None)
                await self._count()

    async def _open(self, stack: AsyncExitStack) -> None:
        """Connect, and have calls stopped that nobody waits for; `stack` closes everything."""
        try:
            with _quiet():
                self._client = await self._reached(stack)
                self._threads = await asyncio.wait_for(self._threads_there(), _PATIENCE_S)
        except (OSError, ValueError) as error:
            raise unreachable(self._address, _words(error)) from None
        except Exception as error:
            odd = f"what answers is no scheduler ({type(error).__name__}: {error})"
            raise unreachable(self._address, odd) from None
        stack.push_async_callback(self._leave)
        try:
            await asyncio.wait_for(self._client.register_plugin(self._stop), _SILENCE * _PULSE_S)
        except Exception as error:
            raise NubbinError(
                f"The workers of {self} cannot be made ready: {_words(error)}. Every worker needs "
                "nubbin, in the same version as here."
            ) from None

    async def _reached(self, stack: AsyncExitStack) -> Any:
        """Return a client of the cluster."""
        if self._processes is not None:
            local = LocalCluster(
                n_workers=self._processes,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,
                asynchronous=True,
            )
            await stack.enter_async_context(local)
            client = Client(local, asynchronous=True, set_as_default=False)
            return await stack.enter_async_context(client)
        get_address_host_port(self._address)  # a client hangs on what is no address
        client = Client(
            self._address, timeout=_PATIENCE_S / 2, asynchronous=True, set_as_default=False
        )
        stack.push_async_callback(_let_go, client)
        return await asyncio.wait_for(client, _PATIENCE_S)

    async def _leave(self) -> None:
        if not self._gone.done():
            with suppress(Exception):  # of workers that go themselves
                leaving = self._client.unregister_worker_plugin(self._stop.name)
                await asyncio.wait_for(leaving, _PATIENCE_S)

    async def _threads_there(self) -> int:
        return sum((await self._client.nthreads()).values())

    async def _count(self) -> None:
        """Count the threads again and again, as long as this runs."""
        while True:
            await asyncio.sleep(_PULSE_S)
            counting = asyncio.ensure_future(self._threads_there())
            counting.add_done_callback(_heard)
            # In pulses: a machine that slept for an hour is not a scheduler that was silent.
            for _ in range(_SILENCE):
                if not counting.done():
                    await asyncio.wait([counting], timeout=_PULSE_S)
            if not counting.done():
                self._lose("does not answer any more")
            with suppress(Exception):  # of a scheduler that is gone, calls tell as well
                self._threads = await counting

    def _lose(self, what: str) -> None:
        if not self._gone.done():
            self._gone.set_result(f"the scheduler at {self._address} {what}")

    async def _done(self, call: Callable[[], T]) -> T:
        for _ in range(_LIVES):
            if self._gone.done():
                break
            task = self._client.submit(stoppable, self._stop.name, call, pure=False)
            try:
                # Dask gathers for several at once: to cancel one must not cancel that.
                gathering = asyncio.ensure_future(self._client.gather(task, asynchronous=True))
                gathering.add_done_callback(_heard)
                await asyncio.wait([gathering, self._gone], return_when=FIRST_COMPLETED)
                if gathering.done():
                    answer: T = gathering.result()
                    return answer
            except KilledWorker:
                continue  # which is no answer
            except CancelledError:  # by Dask; when our future is, asyncio raises its own
                self._lose("is gone")
            finally:
                task.release()
        if self._gone.done():
            raise BrokenExecutor(self._gone.result())
        raise BrokenExecutor(f"workers at {self._address} die whenever they make this call")


def _heard(gathering: asyncio.Future[Any]) -> None:
    """Look at how something ended, so that nothing is logged when nobody else does."""
    if not gathering.cancelled():
        gathering.exception()


async def _let_go(client: Any) -> None:
    with _quiet(), suppress(Exception):
        await asyncio.wait_for(client.close(), _PATIENCE_S)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from telling in its log what we say ourselves, and once."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    silenced = [log for log in map(logging.getLogger, names) if not log.disabled]
    for log in silenced:
        log.disabled = True
    try:
        yield
    finally:
        for log in silenced:
            log.disabled = False


def _words(error: BaseException) -> str:
    if not str(error):
        return "no answer" if isinstance(error, TimeoutError) else type(error).__name__
    # Of several attempts, what came of the last.
    return f"{error}: {error.__cause__}" if error.__cause__ else str(error)
