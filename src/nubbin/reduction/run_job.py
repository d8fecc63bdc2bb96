"""Run a job: the passes to a fixpoint, the confirmation, the readable copy."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.errors import NubbinError
from nubbin.journal.journal import Journal, NullJournal
from nubbin.oracles.oracle import Answer
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.job import Job
from nubbin.reduction.observers.recorder import Recorder
from nubbin.reduction.observers.steering import Steering
from nubbin.reduction.observers.tally_writer import TallyWriter
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.recorded.proof import pieces_of
from nubbin.reduction.reducer import Reducer
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.reduction.result.best import Best
from nubbin.reduction.result.drift import Baseline, printed
from nubbin.reduction.result.pretty import beside, laid_out, shown
from nubbin.reduction.result.replaceable import is_replaceable
from nubbin.reduction.start.open_job import OpenJob
from nubbin.search.flaky_aware_test import FlakyAwareTest
from nubbin.search.trials import Trials
from nubbin.search.verdict_cache import CachedVerdict, VerdictCache
from nubbin.verdict import Verdict


def run_job(
    opened: OpenJob,
    best: Best,
    journal: Journal | NullJournal,
    baseline: Baseline,
    observers: Sequence[Observer],
) -> Reduction:
    """Run a job from its original to its result, or on from where its journal says it was.

    `best` holds the place of the result, and `baseline` is what is known of the original. When the
    time is over, the test is run on the result, on its readable copy, and once more to see what it
    prints, besides what it takes to find a result that holds if the test is flaky. Raises
    NubbinError for a test that is flaky beyond use, or if another process writes to the place of
    the result; OSError if something cannot be written.
    """
    job, workers, budget = opened.job, opened.workers, opened.budget
    original, sampled = job.original, job.options["runs"] is None
    recorder = Recorder(journal, job, best, budget)
    nothing = original.emptied()
    known = {nothing.key: baseline.nothing}
    known |= {key: Trials(yes, runs) for key, yes, runs in journal.trials()}
    at_first = baseline.trials.agrees and baseline.nothing.agrees
    was_flaky = journal.facts is not None and journal.facts.flaky
    flaky = sampled and (was_flaky or not at_first)
    tally = TallyWriter(journal, workers.jobs)
    steering = Steering(journal, budget, workers.jobs, (*observers, tally))

    def ask(document: Document) -> Answer:
        with tally.testing(document):
            return workers.oracle(document.contents)

    test = FlakyAwareTest(
        ask,
        original,
        known | {original.key: baseline.trials},
        nothing=nothing,
        note=recorder.note,
        sampled=sampled,
    )
    reducer = Reducer(
        original,
        test,
        partial(
            PassProblem,
            minimizer=opened.start,
            settings=job.settings,
            allowed=opened.protection.is_allowed,
            # A proposer may think long, or cost money: it is asked about what came out, no more.
            look_ahead=job.options["proposer"] is None,
        ),
        recorder.keep,
        recorder.go_back,
        best=recorder.best,
        executor=workers.executor,
        jobs=workers.jobs,
        budget=budget,
        verdicts=None if flaky else _answered(journal, opened.timeout),
        observers=(*observers, steering, tally, recorder),
        check=steering.check,
    )
    recorder.keep(original)
    reducer.tell(
        Started(
            original.title,
            original.sizes,
            job.options["algorithm"],
            workers.jobs(),
            job.options["seed"],
            job.target,
            journal.folder,
        )
    )
    with tally:
        reason, minimal = reducer.until_done(opened.passes, flaky=flaky)
    result = reducer.document
    # Who interrupts a run does not wait for a copy: `restore` makes one from the journal.
    recorder.leave(result, copied=reason != "interrupted")
    pretty = None
    if job.options["pretty"] and reason not in BROKEN_OFF:
        with suppress(BrokenExecutor):  # the result does not depend on this copy
            pretty = _write_readable(job, result, test, journal)
    said = None
    if baseline.failure is not None and reason not in BROKEN_OFF and not test.flaky:
        with suppress(BrokenExecutor, KeyboardInterrupt):  # the result does not depend on this
            run = None if budget.is_over else journal.folder  # where it turned is looked up in it
            said = printed(baseline.failure, original, result, workers.oracle.explain, run)
    reducer.tell(Finished(reason, result.sizes, minimal))
    return Reduction(
        output=job.target,
        files=result.contents,
        before=original.sizes,
        after=result.sizes,
        queries=budget.queries,
        runs=test.runs + (said.runs if said else 0),
        by_kind=dict(reducer.by_kind),
        seconds=budget.seconds,
        algorithm=job.options["algorithm"],
        reason=reason,
        cause=reducer.cause,
        minimal=minimal,
        pieces=pieces_of(opened.passes, result),
        flaky=test.flaky,
        reproduced=reducer.reproduced,
        others=len(recorder.other_bugs or ()),
        pretty=pretty,
        printed=said,
        line=job.test.line_for(job.target),
        shown=shown(result, job.options["format"]),
        run=journal.folder,
    )


def _write_readable(
    job: Job, result: Document, test: FlakyAwareTest[Document], journal: Journal | NullJournal
) -> Path | None:
    """Write a copy that is laid out for reading; return its place, if there is one."""
    readable = laid_out(result, job.options["format"])
    if readable.key == result.key or not readable.can_be_packed:
        return None
    if test(readable) is not Verdict.INTERESTING:
        return None
    place = beside(job.target)
    with Best(job.root, place) as copy:
        if not is_replaceable(place, copy.found, journal.folder):
            raise NubbinError(
                f"Another process has written to {place} during the run; it is left as it is. The "
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
