"""Carry a job out: check the test, run the passes, confirm the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing

from nubbin.documents.trees import parsing
from nubbin.journal.journal import Journal
from nubbin.journal.unrecorded import Unrecorded
from nubbin.minimizers import Settings
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.repeated import RepeatedOracle
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.job import Job
from nubbin.reduction.pretty import beside, laid_out
from nubbin.reduction.recorder import Recorder
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.reduction.run import Run
from nubbin.reduction.trust import Trust
from nubbin.reduction.workplace import Workplace
from nubbin.search.budget import Budget
from nubbin.search.evidence import Evidence
from nubbin.search.verdicts import Record, Verdicts


def carry_out(
    job: Job,
    *,
    workplace: Workplace,
    timeout: float | None,
    budget: Budget,
    observers: Sequence[Observer],
    begin: Callable[[Oracle], tuple[Journal | Unrecorded, Evidence]],
) -> Reduction:
    """Carry a job out, or on where its journal says it was; see `nubbin.reduce`.

    `begin` is called when the test can be run, before anything is written; it opens the journal,
    and returns it with what the test has said of the original.
    """
    started = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(parsing())
        passes, protection = job.passes(), job.protection()
        workers = stack.enter_context(workplace.open(job, timeout))
        command = RepeatedOracle(workers.oracle, job.runs) if job.runs else workers.oracle
        journal, seen = begin(command)
        stack.enter_context(closing(journal))
        known = {key: Evidence(yes, runs) for key, yes, runs in journal.evidence()}
        flaky = job.runs is None and (journal.about.get("flaky", False) or not seen.agrees)
        recorder = Recorder(journal, job, budget)
        trust = Trust(
            lambda document: command(document.contents),
            job.original,
            known | {job.original.key: seen},
            note=recorder.note,
            sampled=job.runs is None,
        )
        run = Run(
            job.original,
            trust,
            recorder.keep,
            job.start,
            Settings(job.p0, job.seed),
            executor=workers.executor,
            width=workers.width,
            budget=budget,
            verdicts=None if flaky else _answered(journal, timeout),
            observers=(*observers, recorder),
            wanted=protection.allows,
            back=recorder.go_back,
            # A proposer may think long, or cost money: it is asked about what came out, no more.
            foreseeable=job.proposer is None,
        )
        sizes, width = job.original.sizes, workers.width()
        run.tell(Started(job.original.title, sizes, job.algorithm, width, job.seed, journal.folder))
        if flaky:
            run.doubt()
        reason, minimal = run.until_done(passes)
        pretty = None
        if job.pretty and reason not in BROKEN_OFF:
            readable = laid_out(run.document, job.format)
            if readable.key != run.document.key and trust(readable) is Verdict.INTERESTING:
                pretty = beside(job.target)
                Best(job.root, pretty).write(readable)
        recorder.leave(run.document)
        run.tell(Finished(reason, run.document.sizes, minimal))
    return Reduction(
        output=job.target,
        files=run.document.contents,
        before=sizes,
        after=run.document.sizes,
        queries=trust.runs + 1,  # the empty input, before all else
        by_kind=run.by_kind,
        seconds=time.monotonic() - started,
        algorithm=job.algorithm,
        reason=reason,
        minimal=minimal,
        flaky=trust.flaky,
        reproduced=run.reproduced,
        others=len(recorder.others or ()),
        pretty=pretty,
        run=journal.folder,
    )


def _answered(journal: Journal | Unrecorded, timeout: float | None) -> Verdicts:
    verdicts = Verdicts()
    for key, verdict, seconds in journal.verdicts(timeout):
        verdicts.add(key, Record(verdict, seconds))
    return verdicts
