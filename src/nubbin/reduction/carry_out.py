"""Carry a job out: check the test, run the passes, confirm the result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from nubbin.documents.document import Document
from nubbin.executors.local import LocalExecutor
from nubbin.journal.journal import Journal
from nubbin.minimizers import Settings
from nubbin.oracles.local import LocalOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.checks import CHECKS, confirm
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.job import Job
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.run import Run
from nubbin.search.budget import Budget
from nubbin.search.verdicts import Record, Verdicts


def carry_out(
    job: Job,
    *,
    jobs: int | None,
    timeout: float | None,
    budget: Budget,
    observers: Sequence[Observer],
    begin: Callable[[LocalOracle], Journal | None],
) -> Reduction:
    """Carry a job out, or on where its journal says it was; see `nubbin.reduce`.

    `begin` is called when the test can be run, before anything is written; it opens the journal.
    """
    started = time.monotonic()
    passes, protection = job.passes(), job.protection()
    workers = jobs or _cores()
    with ExitStack() as stack:
        command = stack.enter_context(job.oracle(timeout or Timeout()))
        executor = stack.enter_context(LocalExecutor(workers)) if workers > 1 else None
        journal = begin(command)
        if journal is not None:
            stack.enter_context(journal)
        best = Best(job.root, job.target)

        def oracle(document: Document) -> Verdict:
            answer = command(document.contents)
            if journal is not None:
                journal.note(document.key, answer)
            return answer.verdict

        def keep(document: Document) -> None:
            # What the journal has was kept then, and more after it.
            if journal is None or journal.accept(document.key, document.contents):
                best.write(document)

        run = Run(
            job.original,
            oracle,
            keep,
            job.start,
            Settings(job.p0, job.seed),
            executor=executor,
            width=workers,
            budget=budget,
            verdicts=_answered(journal, timeout),
            observers=observers,
            wanted=protection.allows,
        )
        folder = None if journal is None else journal.folder
        sizes = job.original.sizes
        run.tell(Started(job.original.title, sizes, job.algorithm, workers, job.seed, folder))
        reason, minimal = run.until_done(passes)
        runs = len(run.search.verdicts) + CHECKS
        if reason != "interrupted":
            try:
                runs += confirm(lambda result: command(result.contents), run.document, job.target)
            except KeyboardInterrupt:
                reason = "interrupted"
        if journal is not None:
            journal.tell(ended=reason)
        run.tell(Finished(reason, run.document.sizes, minimal))
    return Reduction(
        output=job.target,
        files=run.document.contents,
        before=sizes,
        after=run.document.sizes,
        queries=runs,
        by_kind=run.by_kind,
        seconds=time.monotonic() - started,
        algorithm=job.algorithm,
        reason=reason,
        minimal=minimal,
        run=folder,
    )


def _answered(journal: Journal | None, timeout: float | None) -> Verdicts:
    verdicts = Verdicts()
    if journal is not None:
        for key, verdict, seconds in journal.verdicts(timeout):
            verdicts.add(key, Record(verdict, seconds))
    return verdicts


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
