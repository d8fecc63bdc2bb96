"""Where the queries of a run are answered: on this machine, in any executor, in a cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nubbin.executors.cluster_address import processes_here
from nubbin.executors.local_executor import Threads
from nubbin.oracles.timeout import TimedOracle, Timeout
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool

if TYPE_CHECKING:
    from nubbin.executors.cluster_executor import ClusterExecutor


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers queries: an oracle, for a `pool` to call.

    For an oracle whose workers are elsewhere, the pool has a thread a query, that waits.
    """

    oracle: TimedOracle
    pool: Pool


@contextmanager
def open_workers(job: Job, options: WorkerOptions) -> Iterator[Workers]:
    """Have workers for a job in the block: in a cluster, by an executor, or here.

    Raises ValueError for a cluster and an executor together, and NubbinError
    if there is no such cluster, or the test cannot be run.
    """
    from nubbin.executors.remote_oracle import RemoteOracle  # noqa: PLC0415

    address, given, jobs = options["cluster"], options["executor"], options["jobs"]
    if address is not None and given is not None:
        raise ValueError("a run is given a cluster or an executor, not both")
    limit, runs = options["timeout"] or Timeout(), job.options["runs"] or 1
    spec, files = job.oracle_spec, job.original.contents
    with ExitStack() as stack:
        oracle: TimedOracle
        if address is not None:
            processes_here(address)  # raises if it is not one
            cluster = stack.enter_context(_cluster(address))
            oracle = RemoteOracle(
                cluster,
                spec,
                files,
                limit,
                runs=runs,
                name=str(cluster),
                has_workers=lambda: cluster.has_workers,
            )
            pool = Threads(jobs or math.inf, lambda: cluster.width)
        else:
            if given is not None:
                oracle = RemoteOracle(given, spec, files, limit, runs=runs)
            else:
                oracle = stack.enter_context(spec.oracle(limit, runs))
            pool = Threads(jobs or _cores())
        yield Workers(oracle, stack.enter_context(pool))


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
