"""Run a job: the passes to a fixpoint, the confirmation, the readable copy."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.outlines.lexis import unbalanced
from nubbin.journal.journal import Journal
from nubbin.reduction.events import Finished, Observer, Started, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.observers.recorder import Recorder
from nubbin.reduction.observers.steering import Steering
from nubbin.reduction.observers.tally_writer import TallyWriter
from nubbin.reduction.reducer import Reducer, ReductionEnd
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.result.best import Best
from nubbin.reduction.result.drift import Baseline, Printed, printed
from nubbin.reduction.result.output_path import is_replaceable
from nubbin.reduction.result.pretty import beside, laid_out, shown
from nubbin.reduction.schedule import pieces_of
from nubbin.reduction.start.open_job import OpenJob
from nubbin.runs.ends import end_of
from nubbin_core.errors import NubbinError
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.search import Search
from nubbin_core.search.verdict_cache import CachedVerdict, VerdictCache
from nubbin_core.verdict import Verdict


def run_job(
    opened: OpenJob,
    best: Best,
    journal: Journal | None,
    baseline: Baseline,
    observers: Sequence[Observer],
) -> Reduction:
    """Run a job from its original to its result; with the answers of the journal, if it has any.

    `best` holds the place of the result, and `baseline` has the facts about the original. At the
    end the test runs on the result, on its readable copy, and once more to see what it prints; when
    the time is over, this is left out. Raises NubbinError if the test is too flaky, or if another
    process writes to the place of the result; OSError if something cannot be written.
    """
    job, pool, budget = opened.job, opened.pool, opened.budget
    run = None if journal is None else journal.folder
    recorder = Recorder(journal, job, best, budget)
    heard: list[Observer] = [recorder, *observers]
    tell = to_all(heard, budget.shield)
    steering = Steering(journal, budget, pool, tell)
    heard.append(steering)
    if job.options.obfuscate:
        from nubbin.reduction.observers.word_table import WordTable  # noqa: PLC0415

        words = WordTable(job.original, job.options.format)
        heard.insert(1, words)
    test = _flaky_aware(opened, journal, baseline, recorder)
    was_flaky = journal is not None and journal.facts.flaky
    agreed = baseline.trials.agrees and baseline.nothing.agrees
    flaky = job.options.runs is None and (was_flaky or not agreed)
    known = () if flaky or journal is None else journal.verdicts(job.options.timeout)
    verdicts = VerdictCache((key, CachedVerdict(said, seconds)) for key, said, seconds in known)
    search = Search(test, pool=pool, budget=budget, verdicts=verdicts, check=steering.check)
    recorder.keep(job.original)
    tell(
        Started(
            job.original.title,
            job.original.sizes,
            job.options.algorithm,
            pool.width,
            job.options.seed,
            job.target,
            run,
            job.looking_for,
        )
    )
    with ExitStack() as stack:
        if journal is not None:
            opened.doors.record(journal.folder)
            heard.insert(1, stack.enter_context(TallyWriter(journal, opened.oracle, pool, budget)))
        ended = Reducer(opened.plan, search, test, tell).run(flaky=flaky, best=recorder.best)
    end = end_of(ended.reason)
    if test.allows_other_errors:
        job = replace(job, test=job.test.with_other_errors)
    # A user who interrupts a run or limits its time does not wait for a copy: `restore` makes one.
    recorder.leave(ended.document, copied=not end.is_hurried)
    pretty, said = _afterwards(opened, journal, baseline, ended, test)
    if job.trace is not None and not end.is_broken_off:
        from nubbin.oracles.tracing.notes import NOTHING_USED  # noqa: PLC0415 - with projects only
        from nubbin.reduction.result.reproduction import write_reproduction  # noqa: PLC0415
        from nubbin.reduction.start.tracing import used_by  # noqa: PLC0415

        used = budget.last(partial(used_by, job, ended.document)) or NOTHING_USED
        write_reproduction(job, ended.document, used, said, minimal=ended.minimal)
    tell(Finished(ended.reason, ended.document.sizes, ended.minimal))
    return Reduction(
        output=job.target,
        files=ended.document.contents,
        before=job.original.sizes,
        after=ended.document.sizes,
        queries=budget.queries,
        runs=test.runs + (said.runs if said else 0),
        by_kind=budget.by_kind,
        seconds=budget.seconds,
        algorithm=job.options.algorithm,
        reason=ended.reason,
        cause=ended.cause,
        unbalanced=_has_lone_bracket(ended.document) and not _has_lone_bracket(job.original),
        minimal=ended.minimal,
        pieces=pieces_of(opened.passes, ended.document) if ended.minimal else (),
        flaky=test.flaky,
        reproduced=ended.reproduced,
        others=0 if journal is None else len(journal.other_bugs),
        pretty=pretty,
        printed=said,
        line=job.line(is_done=end.is_done),
        shown=budget.last(partial(shown, ended.document, job.options.format)),
        run=run,
        words=words.write(job.target) if job.options.obfuscate else None,
        exposed=job.options.obfuscate and not end.is_done,
    )


def _flaky_aware(
    opened: OpenJob, journal: Journal | None, baseline: Baseline, recorder: Recorder
) -> FlakyAwareTest[Document]:
    original, oracle = opened.job.original, opened.oracle
    nothing = original.emptied()
    known = {nothing.key: baseline.nothing}
    known |= journal.trials() if journal is not None else {}
    return FlakyAwareTest(
        lambda document: oracle(document.contents),
        original,
        known | {original.key: baseline.trials},
        nothing=nothing,
        note=recorder.note,
        sampled=opened.job.options.runs is None,
        pool=opened.pool,
    )


def _afterwards(
    opened: OpenJob,
    journal: Journal | None,
    baseline: Baseline,
    ended: ReductionEnd,
    test: FlakyAwareTest[Document],
) -> tuple[Path | None, Printed | None]:
    """Write a readable copy of a result if one is asked for; return it, and what the test prints.

    The result does not depend on these.
    """
    job, result, pretty, said = opened.job, ended.document, None, None
    last = opened.budget.last
    if end_of(ended.reason).is_broken_off:
        return None, None
    with suppress(BrokenExecutor):
        if job.options.pretty:
            pretty = last(partial(_write_readable, job, result, test, journal))
    with suppress(BrokenExecutor, KeyboardInterrupt):
        if baseline.failure is not None and not test.flaky:
            # The journal tells which step lost the failure.
            run = None if journal is None or opened.budget.is_over_for_queries else journal.folder
            explain = opened.oracle.explain
            ask = partial(printed, baseline.failure, job.original, result, explain, run)
            said = last(partial(ask, asked=job.printing))
    return pretty, said


def _has_lone_bracket(document: Document) -> bool:
    return any(map(unbalanced, document.data.values()))


def _write_readable(
    job: Job, result: Document, test: FlakyAwareTest[Document], journal: Journal | None
) -> Path | None:
    """Write a formatted copy if the test accepts it; return its place, or None."""
    readable = laid_out(result, job.options.format)
    if readable.key == result.key or not readable.can_be_packed:
        return None
    if test(readable) is not Verdict.INTERESTING:
        return None
    place = beside(job.target)
    with Best(job.root, place) as copy:
        if not is_replaceable(place, copy.found, None if journal is None else journal.folder):
            raise NubbinError(
                f"Another process has written to {place} during the run. nubbin does not replace "
                f"it. The result is in {job.target}, without a readable copy."
            )
        if journal is not None:
            journal.tell(pretty=readable.key.hex())
        copy.write(readable)
    return place
