"""Where the queries of a run are answered: on this machine, in any executor, in a cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nubbin.errors import NubbinError
from nubbin.executors.cluster_address import processes_here
from nubbin.executors.local_executor import LocalExecutor, SteeredExecutor
from nubbin.executors.remote_oracle import RemoteOracle
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.repeated_oracle import RepeatedOracle
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions


class Jobs:
    """Tells the number of jobs at any time; it is one if they are `alone`.

    That is `most`, which may be changed, or the number of workers, which `width` knows, if these
    are fewer.
    """

    def __init__(self, most: float = 1, width: Callable[[], float] = lambda: math.inf):
        self.most = most
        self._width = width
        self.alone = False

    def __call__(self) -> int:
        """Return the number."""
        return 1 if self.alone else int(min(self.most, self._width()))


if TYPE_CHECKING:
    from nubbin.executors.cluster_executor import ClusterExecutor


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers queries: an oracle, for `executor` to call, and how often at once.

    For an oracle whose workers are elsewhere, the executor has a thread a query, that waits.
    """

    oracle: Oracle
    executor: Executor
    jobs: Jobs


@contextmanager
def open_workers(job: Job, options: WorkerOptions) -> Iterator[Workers]:
    """Have workers for a job in the block: in a cluster, by an executor, or here.

    Raises ValueError for a cluster and an executor together, and NubbinError
    if there is no such cluster, or the test cannot be run.
    """
    address, given, jobs = options["cluster"], options["executor"], options["jobs"]
    if address is not None and given is not None:
        raise ValueError("a run is given a cluster or an executor, not both")
    if address is not None:
        processes_here(address)
    limit = options["timeout"] or Timeout()
    spec, files = job.oracle_spec, job.original.contents
    with ExitStack() as stack:
        oracle: Oracle
        executor: Executor
        if address is not None:
            cluster = stack.enter_context(_cluster(address))
            oracle = RemoteOracle(
                cluster,
                spec,
                files,
                limit,
                name=str(cluster),
                has_workers=lambda: cluster.has_workers,
            )
            executor = stack.enter_context(_threads())
            number = Jobs(jobs or math.inf, lambda: cluster.width)
        else:
            executor = threads = stack.enter_context(_threads())
            number = Jobs(jobs or _cores())
            if given is not None:
                oracle = RemoteOracle(given, spec, files, limit)
            else:
                oracle = stack.enter_context(spec.oracle(limit))
                executor = SteeredExecutor(threads, number)
        runs = job.options["runs"]
        yield Workers(RepeatedOracle(oracle, runs) if runs else oracle, executor, number)


@contextmanager
def _threads() -> Iterator[LocalExecutor]:
    """Have threads that ask; at the end the answers to what they still ask are not needed."""
    threads = LocalExecutor()
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)


def _cluster(address: str) -> ClusterExecutor:
    try:
        from nubbin.executors.cluster_executor import ClusterExecutor  # noqa: PLC0415 - takes half a second
    except ImportError:
        raise NubbinError(
            "To run tests in a cluster, nubbin needs Dask, which is not installed here: "
            "pip install 'nubbin[cluster]'"
        ) from None
    return ClusterExecutor(address)


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
