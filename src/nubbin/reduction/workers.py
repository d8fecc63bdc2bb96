"""Where the queries of a run are answered: on this machine, in any executor, in a cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nubbin.executors.address import processes_here
from nubbin.executors.local_executor import LocalExecutor
from nubbin.executors.remote import RemoteOracle
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.job import Job

if TYPE_CHECKING:
    from nubbin.executors.cluster import ClusterExecutor


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers queries: an oracle, for `executor` to call, and how often at once.

    For an oracle whose workers are elsewhere, the executor has a thread a query, that waits.
    """

    oracle: Oracle
    executor: Executor | None
    width: Callable[[], int]


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Where queries are answered: in the cluster of an address, by an executor, or here.

    At most `jobs` at once; by default as many as a cluster has threads, or this machine cores.
    Raises ValueError where both a cluster and an executor are given, or no job at all, and
    WrongTest for what is no address.
    """

    jobs: int | None = None
    cluster: str | None = None
    executor: Executor | None = None

    def __post_init__(self) -> None:
        if self.cluster is not None and self.executor is not None:
            raise ValueError("a run is given a cluster or an executor, not both")
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"jobs is at least 1, not {self.jobs}")
        if self.cluster is not None:
            processes_here(self.cluster)

    @contextmanager
    def open(self, job: Job, timeout: float | None) -> Iterator[Workers]:
        """Have workers for a job in the block; raises WrongTest where there is no such cluster."""
        limit = timeout or Timeout()
        files = job.original.contents
        oracle_spec = job.oracle_spec
        jobs = self.jobs or _cores()
        with ExitStack() as stack:
            if self.cluster is not None:
                cluster = stack.enter_context(_cluster(self.cluster))
                oracle = RemoteOracle(
                    cluster,
                    oracle_spec,
                    files,
                    limit,
                    name=str(cluster),
                    manned=lambda: cluster.manned,
                )
                most = self.jobs or math.inf
                threads = stack.enter_context(_threads())
                yield Workers(oracle, threads, lambda: int(min(most, cluster.width)))
            elif self.executor is not None:
                oracle = RemoteOracle(self.executor, oracle_spec, files, limit)
                yield Workers(oracle, stack.enter_context(_threads()), lambda: jobs)
            else:
                here = stack.enter_context(oracle_spec.oracle(limit))
                executor = stack.enter_context(_threads(jobs)) if jobs > 1 else None
                yield Workers(here, executor, lambda: jobs)


@contextmanager
def _threads(jobs: int | None = None) -> Iterator[LocalExecutor]:
    """Have threads that ask; at the end nobody needs the answer to what they still ask."""
    threads = LocalExecutor(jobs)
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)


def _cluster(address: str) -> ClusterExecutor:
    try:
        from nubbin.executors.cluster import ClusterExecutor  # noqa: PLC0415 - takes half a second
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
