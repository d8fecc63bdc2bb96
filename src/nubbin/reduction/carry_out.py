"""Carry a job out: check the test, run the passes, confirm the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.minimizers import Settings
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.checks import CHECKS, confirm
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.job import Job
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.reduction.run import Run
from nubbin.reduction.workplace import Workplace
from nubbin.search.budget import Budget
from nubbin.search.verdicts import Record, Verdicts


def carry_out(
    job: Job,
    *,
    workplace: Workplace,
    timeout: float | None,
    budget: Budget,
    observers: Sequence[Observer],
    begin: Callable[[Oracle], Journal | None],
) -> Reduction:
    """Carry a job out, or on where its journal says it was; see `nubbin.reduce`.

    `begin` is called when the test can be run, before anything is written; it opens the journal.
    """
    started = time.monotonic()
    passes, protection = job.passes(), job.protection()
    with ExitStack() as stack:
        workers = stack.enter_context(workplace.open(job, timeout))
        command = workers.oracle
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
            executor=workers.executor,
            width=workers.width,
            budget=budget,
            verdicts=_answered(journal, timeout),
            observers=observers,
            wanted=protection.allows,
        )
        folder = None if journal is None else journal.folder
        sizes = job.original.sizes
        run.tell(
            Started(job.original.title, sizes, job.algorithm, workers.width(), job.seed, folder)
        )
        reason, minimal = run.until_done(passes)
        runs = len(run.search.verdicts) + CHECKS
        if reason not in BROKEN_OFF:
            try:
                runs += confirm(lambda result: command(result.contents), run.document, job.target)
            except KeyboardInterrupt:
                reason = "interrupted"
            except BrokenExecutor:
                reason = "workers-lost"
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
