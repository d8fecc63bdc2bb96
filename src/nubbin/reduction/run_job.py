"""Carry a job out: check the test, run the passes, confirm the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.trees import parsing
from nubbin.journal.journal import Journal
from nubbin.journal.null_journal import NullJournal
from nubbin.minimizers import Settings
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.repeated import RepeatedOracle
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.flaky_aware_test import FlakyAwareTest
from nubbin.reduction.job import Job
from nubbin.reduction.pretty import beside, laid_out
from nubbin.reduction.proposer import Program
from nubbin.reduction.recorder import Recorder
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.reduction.replaceable import is_replaceable
from nubbin.reduction.run import Run
from nubbin.reduction.workers import WorkerOptions
from nubbin.search.budget import Budget
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import CachedVerdict, VerdictCache


def run_job(
    job: Job,
    best: Best,
    *,
    worker_options: WorkerOptions,
    timeout: float | None,
    budget: Budget,
    observers: Sequence[Observer],
    begin: Callable[[Oracle], tuple[Journal | NullJournal, Trials]],
) -> Reduction:
    """Carry a job out, or on where its journal says it was; see `nubbin.reduce`.

    `best` holds the place of the result. `begin` is called when the test can be run, before
    anything is written; it opens the journal, and returns it with what the test has said of the
    original.
    """
    started = time.monotonic()
    protection = job.protection()
    with ExitStack() as stack:
        stack.enter_context(parsing())
        proposer = None if job.proposer is None else stack.enter_context(Program(job.proposer))
        passes = job.passes(proposer)
        workers = stack.enter_context(worker_options.open(job, timeout))
        command = RepeatedOracle(workers.oracle, job.runs) if job.runs else workers.oracle
        try:
            journal, seen = begin(command)
        except BrokenExecutor as error:
            raise NubbinError(
                f"The workers that are to run the test are gone: {error}. Nothing had begun. When "
                "that is mended, start again."
            ) from error
        stack.enter_context(closing(journal))
        known = {key: Trials(yes, runs) for key, yes, runs in journal.trials()}
        flaky = job.runs is None and (journal.about.get("flaky", False) or not seen.agrees)
        recorder = Recorder(journal, job, best, budget)
        test = FlakyAwareTest(
            lambda document: command(document.contents),
            job.original,
            known | {job.original.key: seen},
            note=recorder.note,
            sampled=job.runs is None,
        )
        run = Run(
            job.original,
            test,
            recorder.keep,
            job.start,
            Settings(job.p0, job.seed),
            executor=workers.executor,
            width=workers.width,
            budget=budget,
            verdicts=None if flaky else _answered(journal, timeout),
            observers=(*observers, recorder),
            is_allowed=protection.is_allowed,
            back=recorder.go_back,
            # A proposer may think long, or cost money: it is asked about what came out, no more.
            may_look_ahead=proposer is None,
        )
        sizes, width = job.original.sizes, workers.width()
        run.tell(Started(job.original.title, sizes, job.algorithm, width, job.seed, journal.folder))
        reason, minimal = run.until_done(passes, doubtful=flaky)
        recorder.leave(run.document)
        pretty = None
        if job.pretty and reason not in BROKEN_OFF:
            with suppress(BrokenExecutor):  # the result does not depend on this copy
                pretty = _written_for_reading(job, run.document, test, journal)
        run.tell(Finished(reason, run.document.sizes, minimal))
    return Reduction(
        output=job.target,
        files=run.document.contents,
        before=sizes,
        after=run.document.sizes,
        queries=test.runs + 1,  # the empty input, before all else
        by_kind=run.by_kind,
        seconds=time.monotonic() - started,
        algorithm=job.algorithm,
        reason=reason,
        cause=run.cause,
        minimal=minimal,
        flaky=test.flaky,
        reproduced=run.reproduced,
        others=len(recorder.other_bugs or ()),
        pretty=pretty,
        run=journal.folder,
    )


def _written_for_reading(
    job: Job, result: Document, test: FlakyAwareTest, journal: Journal | NullJournal
) -> Path | None:
    """Write a copy that is laid out for reading; return its place, if there is one."""
    readable = laid_out(result, job.format)
    if readable.key == result.key or test(readable) is not Verdict.INTERESTING:
        return None
    place = beside(job.target)
    with Best(job.root, place) as copy:
        if not is_replaceable(place, copy.found, journal.folder):
            raise NubbinError(
                f"Somebody else has written to {place} during the run; it is left as it is. The "
                f"result is in {job.target}, without a readable copy."
            )
        journal.tell(pretty=readable.key.hex())
        copy.write(readable)
    return place


def _answered(journal: Journal | NullJournal, timeout: float | None) -> VerdictCache:
    verdicts = VerdictCache()
    for key, verdict, seconds in journal.verdicts(timeout):
        verdicts.add(key, CachedVerdict(verdict, seconds))
    return verdicts
