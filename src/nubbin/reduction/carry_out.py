"""Carry a job out: check the test, run the passes, confirm the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.others import Others
from nubbin.minimizers import Settings
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.oracles.repeated import RepeatedOracle
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.events import Doubtful, Event, Finished, Observer, Started
from nubbin.reduction.job import Job
from nubbin.reduction.pretty import beside, laid_out
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
    begin: Callable[[Oracle], tuple[Journal | None, Evidence]],
) -> Reduction:
    """Carry a job out, or on where its journal says it was; see `nubbin.reduce`.

    `begin` is called when the test can be run, before anything is written; it opens the journal,
    and returns it with what the test has said of the original.
    """
    started = time.monotonic()
    passes, protection = job.passes(), job.protection()
    with ExitStack() as stack:
        workers = stack.enter_context(workplace.open(job, timeout))
        command = RepeatedOracle(workers.oracle, job.runs) if job.runs else workers.oracle
        journal, seen = begin(command)
        known = {job.original.key: seen}
        if journal is not None:
            stack.enter_context(journal)
            known = {key: Evidence(yes, runs) for key, yes, runs in journal.evidence()} | known
        flaky = job.runs is None and (_was_flaky(journal) or not seen.agrees)
        best = Best(job.root, job.target)

        def note(document: Document, answer: Answer, evidence: Evidence) -> None:
            if journal is not None:
                journal.note(document.key, answer, *evidence)

        def keep(document: Document) -> None:
            # What the journal has was kept then, and more after it.
            if journal is None or journal.accept(document.key, document.contents):
                best.write(document)

        def back(document: Document) -> None:
            if journal is not None:
                journal.go_back(document.key)
            best.write(document)

        def remember(event: Event) -> None:
            if isinstance(event, Doubtful) and journal is not None:
                journal.tell(flaky=True, original=list(event.evidence))

        others = None if journal is None else Others(journal.folder / "other")

        def ask(document: Document) -> Answer:
            answer = command(document.contents)
            if answer.different and others is not None:
                others.keep(document.contents, answer.output)
            return answer

        trust = Trust(
            ask,
            job.original,
            known,
            note=note,
            sampled=job.runs is None,
        )
        run = Run(
            job.original,
            trust,
            keep,
            job.start,
            Settings(job.p0, job.seed),
            executor=workers.executor,
            width=workers.width,
            budget=budget,
            verdicts=None if flaky else _answered(journal, timeout),
            observers=(*observers, remember),
            wanted=protection.allows,
            back=back,
        )
        folder = None if journal is None else journal.folder
        sizes = job.original.sizes
        run.tell(
            Started(job.original.title, sizes, job.algorithm, workers.width(), job.seed, folder)
        )
        if flaky:
            run.doubt()
        reason, minimal = run.until_done(passes)
        pretty = None
        if job.pretty and reason not in BROKEN_OFF:
            readable = laid_out(run.document, job.format)
            if readable.key != run.document.key and trust(readable) is Verdict.INTERESTING:
                pretty = beside(job.target)
                Best(job.root, pretty).write(readable)
        if journal is not None:
            journal.tell(ended=reason)
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
        others=len(others or ()),
        pretty=pretty,
        run=folder,
    )


def _was_flaky(journal: Journal | None) -> bool:
    return journal is not None and bool(journal.about.get("flaky"))


def _answered(journal: Journal | None, timeout: float | None) -> Verdicts:
    verdicts = Verdicts()
    if journal is not None:
        for key, verdict, seconds in journal.verdicts(timeout):
            verdicts.add(key, Record(verdict, seconds))
    return verdicts
