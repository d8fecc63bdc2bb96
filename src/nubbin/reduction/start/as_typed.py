"""Does a command take the path of the input behind it, or is it run as it was typed?"""

from __future__ import annotations

from dataclasses import replace

from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin.reduction.start.check_test import before_the_start, case_of
from nubbin.reduction.start.peculiar import Failing, fails
from nubbin.reduction.start.workers import open_workers
from nubbin.verdict import Verdict


def understood(job: Job, options: WorkerOptions, tell: Observer) -> Job:
    """Return the job whose command line is run with a path behind it, or as it was typed.

    `pytest`, `make` and `npm test` find their input by themselves, where they are run. What is
    meant is what fails on the input otherwise than on an empty one: a folder is tried as it was
    typed first, a file with its path. Costs no run if the line has a place for the path, else two,
    or four.
    """
    test = job.test
    if not isinstance(test, RunTest) or not test.typed:
        return job
    behind, typed = replace(test, typed=""), test.as_typed(job.source)
    ways = [typed, behind] if job.source.is_dir() else [behind, typed]
    for way in ways:
        if _fails_by_its_input(replace(job, test=way), way, options, tell):
            return replace(job, test=way)
    return replace(job, test=ways[0])


def _fails_by_its_input(job: Job, test: RunTest, options: WorkerOptions, tell: Observer) -> bool:
    limit = options["timeout"] or Timeout().limit
    with before_the_start(), open_workers(job, {**options, "timeout": limit}) as workers:
        case = case_of(job, workers, limit, tell)
        answer = case.run(case.document)
        if test.conditions or case.was_stopped:
            # One that waits for a file that it is not given would not be stopped with a path.
            return answer.verdict is Verdict.INTERESTING or case.was_stopped
        nothing = case.run(case.document.emptied())
        return (
            fails(answer)
            and Failing([answer], nothing, job.original.names_and_text).is_by_the_input
        )
