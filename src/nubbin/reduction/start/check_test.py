"""Check before anything is written whether the test can guide a reduction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TypeVar

from nubbin.checks.case import UNKNOWN, Case, Known
from nubbin.checks.refusal import NEEDED, findings
from nubbin.documents.file import Link
from nubbin.journal.run_facts import Baseline
from nubbin.oracles.failures.transcript import standing_out
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.events import Disturbed, Observer, TakenApart
from nubbin.reduction.job import Job
from nubbin.reduction.result.drift import failure_of
from nubbin.reduction.start.open_job import OpenJob, open_workers
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.trials import REJECTED_ONCE, Trials
from nubbin_core.verdict import Verdict

T = TypeVar("T")


def check_test(opened: OpenJob, tell: Observer, known: Known = UNKNOWN) -> Baseline:
    """Check that a test accepts the input twice, and rejects the empty input.

    Costs three runs, at once if there are so many jobs, and some more if the test is flaky or
    wrong; up to three fewer for what is `known`. If runs disturb each other, nubbin makes one at a
    time from then on. Raises NubbinError.
    """
    job = opened.job
    with case_of(job, opened.oracle, opened.pool, tell, known) as case:
        for finding in findings(case, NEEDED):
            if finding.level == "problem":
                raise NubbinError(finding.text)
        tells = job.test.prints_its_failure
        failure = failure_of(case.output, job.original, job.test.printing) if tells else None
        trials, nothing = case.trials, case.trials_of_nothing
        if case.contradicted or not case.trials.agrees:
            from nubbin.checks.trust import measured  # noqa: PLC0415

            alone = measured(case)
            if alone is not None:
                opened.pool.alone = True
                tell(Disturbed(alone))
                trials, nothing = alone, REJECTED_ONCE
        return Baseline(
            original=trials,
            nothing=nothing,
            failure=None if failure is None else (failure.line, *failure.patterns),
            frames=() if failure is None else failure.frames,
            said=standing_out(case.output),
        )


@contextmanager
def case_of(
    job: Job, oracle: Oracle, pool: Pool, tell: Observer, known: Known = UNKNOWN
) -> Iterator[Case]:
    """In the block, have a test and an input as a `Case`; raises NubbinError for an empty one."""
    document = job.original
    if not any(data for data in document.contents.values() if not isinstance(data, Link)):
        raise NubbinError(f"{document.title} is empty: there is nothing to reduce.")
    try:
        yield Case(
            job.oracle_spec,
            document,
            job.root,
            oracle,
            pool=pool,
            timeout=job.options.timeout,
            on_run=tell,
            known=known,
        )
    except BrokenExecutor as error:
        raise NubbinError(
            f"The workers that run the test were lost: {error}. The run had not "
            "started. Fix this problem, then start again."
        ) from error


@contextmanager
def examined(job: Job, tell: Observer) -> Iterator[Case]:
    """In the block, have a `Case` with workers of its own; `Job.limit` is its usual limit."""
    job = replace(job, options=replace(job.options, timeout=job.limit))
    with open_workers(job) as workers, case_of(job, *workers, tell) as case:
        yield case


def before_the_first_query(budget: Budget, prepared: Callable[[], T]) -> T:
    """Return what `prepared` does; raises NubbinError if the time of the budget ends first."""
    with suppress(BudgetSpent):
        return budget.limited(prepared)
    raise NubbinError(
        f"The time of --max-time was over after {budget.seconds:.1f} s, before the first query: "
        "the input was still being read, or the test checked. Nothing has been written. Give "
        "more time."
    )


def check_packing(opened: OpenJob, baseline: Trials, tell: Observer) -> OpenJob:
    """Return the job with containers unpacked to the depth at which the test accepts the input.

    Packing changes bytes that are in no member. If the test then rejects the input, only the
    outermost containers are unpacked, and if it still does, none. Costs no run without containers,
    otherwise one or two, or more if `baseline`, the trials of the input, are flaky.
    """
    refused = False
    while not _survives(opened, baseline):
        refused = True
        containers = opened.job.original.containers
        opened = opened.at_depth(1)
        if opened.job.original.containers == containers:
            opened = opened.at_depth(0)
    document = opened.job.original
    if refused or document.containers:
        files = len(document.files) if document.containers else 0
        tell(TakenApart(files, sum(map(len, document.data.values())), refused))
    return opened


def _survives(opened: OpenJob, baseline: Trials) -> bool:
    """Tell whether the test accepts the document with all containers packed again."""
    repacked = opened.job.original.repacked
    if not repacked.can_be_packed or repacked.key == opened.job.original.key:
        return repacked.can_be_packed
    tries = 1 if baseline.agrees else baseline.runs
    answers = (opened.oracle(repacked.contents) for _ in range(tries))
    return any(answer.verdict is Verdict.INTERESTING for answer in answers)
