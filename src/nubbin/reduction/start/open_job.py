"""A job with all that runs for it: the parser, the workers, the passes and the budget."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.executors.cluster_address import processes_here
from nubbin.executors.threads import Threads
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Oracle, Timeout
from nubbin.passes.proposal import Pass
from nubbin.reduction.doors.open_doors import Doors, open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.options import Options
from nubbin.reduction.pass_problem import PassProblem, Plan
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.late import late
from nubbin_core.minimizers import LastElement, Start
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget

if TYPE_CHECKING:
    from nubbin.executors.cluster_executor import ClusterExecutor

_remote = late("nubbin.executors.remote_oracle:RemoteOracle")


@contextmanager
def open_workers(job: Job) -> Iterator[tuple[Oracle, Pool]]:
    """In the block, have an oracle for a job, and a pool that calls it.

    It runs the test in a cluster, in an executor, or here; a thread waits for each query elsewhere.
    Raises ValueError for a cluster and an executor together, and NubbinError if there is no such
    cluster, or the test cannot be run.
    """
    options, spec, files = job.options, job.oracle_spec, job.original.contents
    address, given = options.cluster, options.executor
    if address is not None and given is not None:
        raise ValueError("a run is given a cluster or an executor, not both")
    limit, runs = options.timeout or Timeout(), options.runs or 1
    remote = partial(_remote, spec=spec, files=files, timeout=limit, runs=runs)
    with ExitStack() as stack:
        oracle: Oracle
        if address is not None:
            cluster = stack.enter_context(_cluster(address))
            has_workers = lambda: cluster.has_workers  # noqa: E731
            oracle = remote(cluster, name=str(cluster), has_workers=has_workers)
            pool = Threads(options.jobs or math.inf, lambda: cluster.width)
        else:
            here = LocalOracle(spec, limit, runs)
            oracle = stack.enter_context(here) if given is None else remote(given)
            pool = Threads(options.jobs or _cores())
        yield oracle, stack.enter_context(pool)


def _cluster(address: str) -> ClusterExecutor:
    processes_here(address)  # raises if it is not one
    try:
        from nubbin.executors.cluster_executor import ClusterExecutor  # noqa: PLC0415 - takes half a second
    except ImportError:
        raise NubbinError(
            "To run tests in a cluster, nubbin needs Dask, which is not installed here: "
            "pip install 'nubbin[cluster]'"
        ) from None
    return ClusterExecutor(address)


@contextmanager
def shared_workers(options: Options) -> Iterator[tuple[Options, Callable[[], int]]]:
    """In the block, have workers for several runs: yield their options, and a function.

    The function returns how many queries the workers of all runs can answer at once. The processes
    of a cluster `local:N` start once. Raises NubbinError if there is no such cluster.
    """
    if options.cluster is None:
        yield options, lambda: options.jobs or _cores()
    else:
        with _cluster(options.cluster) as cluster:
            shared = replace(options, cluster=cluster.address)
            yield shared, lambda: min(options.jobs or cluster.width, cluster.width)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A job whose test can run: `pool` calls `oracle`. `start` starts the minimizer of a list.

    `named` are texts that name what the failure needs: that of the test, and what it printed for
    the original. Texts are added in place: making the passes again would parse the input again.
    """

    job: Job
    named: list[str]
    start: Start
    passes: tuple[Pass, ...]
    oracle: Oracle
    pool: Pool
    budget: Budget
    doors: Doors

    def at_depth(self, depth: int, document: Document | None = None) -> Self:
        """Return the job with its original, or another document, unpacked; raises OptionError."""
        unpacked = (document or self.job.original).unpacked(depth)
        return self.with_job(replace(self.job, original=unpacked, depth=depth))

    def with_job(self, job: Job) -> Self:
        """Return what is open with another job for the same test; raises OptionError."""
        return replace(self, job=job, passes=job.passes(self.doors, self.named))

    @property
    def plan(self) -> Plan:
        """The passes, and how their lists are minimized."""
        begin = partial(
            PassProblem,
            start_on=self.start,
            settings=self.job.settings,
            allowed=self.job.allows,
            # The user's passes may take long, or cost money: they are called only if needed.
            may_look_ahead=not self.doors.rows,
        )
        at_the_end = self.job.passes_at_the_end(self.doors)
        return Plan(self.passes, begin, self._read_again, self.doors.guard, at_the_end)

    def _read_again(self, result: Document) -> tuple[Document, Plan]:
        again = self.at_depth(self.job.depth, result)
        return again.job.original, again.plan


@contextmanager
def open_job(job: Job, budget: Budget) -> Iterator[OpenJob]:
    """Start all that a job needs, for the block; raises NubbinError, and as `open_workers`."""
    start = LastElement.of(job.algorithm.load())
    named = [job.test.text]
    with ExitStack() as stack:
        stack.enter_context(parsing())
        doors = stack.enter_context(open_doors(job.options, lambda: pool.width))
        passes = job.passes(doors, named)
        if job.options.reduce_with and len(job.original.texts) != 1:
            raise OptionError(
                f"--reduce-with: another reducer gets one file, and {job.original.title} is "
                f"{len(job.original.texts)}. Name one file; for a container, name its --format."
            )
        oracle, pool = stack.enter_context(open_workers(job))
        yield OpenJob(job, named, start, passes, oracle, pool, budget, doors)
