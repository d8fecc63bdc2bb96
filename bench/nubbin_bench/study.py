"""Makes the runs of a plan, several at a time, and adds each result to the record at once."""

from __future__ import annotations

import ctypes
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from nubbin import NubbinError
from nubbin.research import AlgorithmError
from nubbin_bench.cases import Unavailable
from nubbin_bench.record import Record
from nubbin_bench.rows import Job, Row
from nubbin_bench.runs import run

_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Have this worker killed together with the study, and not at the end of its job."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def run_all(
    jobs: Sequence[Job], record: Record, *, cache: Path, workers: int, seconds: float
) -> Iterator[Row | Unavailable]:
    """Run the jobs that are not in the record, add each row to it, and yield the row.

    Starts nothing after `seconds`. If a case or an algorithm is broken, its other jobs are left
    out. Of jobs with one key, such as those of a case of two suites, the first is run. Queries are
    logged in a folder beside the record.
    """
    latest = time.monotonic() + seconds
    once = {job.key: job for job in reversed(jobs)}.values()
    left = [job for job in once if not record.has(job)]
    under_way: dict[Future[Row], Job] = {}
    with ProcessPoolExecutor(workers, get_context("spawn"), _end_with_parent) as pool:
        while under_way or left:
            while left and len(under_way) < workers and time.monotonic() < latest:
                job = left.pop()
                under_way[pool.submit(run, job, cache, record.path.parent / "queries")] = job
            if not under_way:
                return
            for each in wait(under_way, return_when=FIRST_COMPLETED).done:
                job = under_way.pop(each)
                try:
                    row = each.result()
                except AlgorithmError as broken:
                    left = [other for other in left if other.algorithm != job.algorithm]
                    yield Unavailable(job.algorithm.title, f"on {job.case.name}: {broken}")
                except (NubbinError, OSError) as broken:
                    left = [other for other in left if other.case.name != job.case.name]
                    yield Unavailable(job.case.name, str(broken))
                else:
                    record.add(row)
                    yield row
