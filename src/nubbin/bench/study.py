"""Makes the runs of a plan, several at a time, and adds each result to the record at once."""

from __future__ import annotations

import ctypes
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from nubbin.bench.record import Record
from nubbin.bench.rows import Job, Row
from nubbin.bench.runs import run

_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Have this worker killed together with the study, and not at the end of its job."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def run_all(
    jobs: Sequence[Job], record: Record, *, cache: Path, workers: int, seconds: float
) -> Iterator[Row]:
    """Run the jobs that are not in the record, add each row to it, and yield the row.

    Starts nothing after so many seconds.
    """
    latest = time.monotonic() + seconds
    left = [job for job in reversed(jobs) if job.key not in record.rows]
    under_way: set[Future[Row]] = set()
    with ProcessPoolExecutor(workers, get_context("spawn"), _end_with_parent) as pool:
        while under_way or left:
            while left and len(under_way) < workers and time.monotonic() < latest:
                under_way.add(pool.submit(run, left.pop(), cache))
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for row in [each.result() for each in done]:
                record.add(row)
                yield row
