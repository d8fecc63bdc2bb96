"""Does a command take the path of the input behind it, or is it run as it was typed?"""

from __future__ import annotations

from dataclasses import replace

from nubbin.checks.in_words import stopped
from nubbin.errors import NubbinError
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin.reduction.start.check_test import before_the_start, case_of
from nubbin.reduction.start.peculiar import NOT_SEEN, Failing, Seen, fails
from nubbin.reduction.start.workers import open_workers
from nubbin.verdict import Verdict


def understood(job: Job, options: WorkerOptions, tell: Observer) -> tuple[Job, Seen]:
    """Return the job whose command line is run with a path behind it, or as it was typed.

    `pytest`, `make` and `npm test` find their input by themselves, where they are run. What is
    meant is what fails on the input otherwise than on an empty one: a folder is tried as it was
    typed first, a file with its path. A word that is the name of a folder may be its place, or the
    name of a program in it. Costs no run if the line has another place for the path, else two, or
    four; the answers on nothing and on the input come with the job if it has no conditions.
    """
    test = job.test
    if not isinstance(test, RunTest) or not test.typed:
        return job, NOT_SEEN
    behind, typed = replace(test, typed=""), test.as_typed(job.source)
    ways = [typed, behind] if job.source.is_dir() else [behind, typed]
    for way in ways:
        tried = replace(job, test=way)
        is_meant, seen = _tried(tried, way, options, tell)
        if is_meant:
            return tried, seen
    return replace(job, test=ways[0]), NOT_SEEN


def _tried(job: Job, test: RunTest, options: WorkerOptions, tell: Observer) -> tuple[bool, Seen]:
    limit = options["timeout"] or Timeout().limit
    with before_the_start(), open_workers(job, {**options, "timeout": limit}) as workers:
        case = case_of(job, workers, limit, tell)
        answer = case.run(case.document)
        # One that waits for a file that it is not given would not be stopped with a path.
        if test.conditions:
            return answer.verdict is Verdict.INTERESTING or case.was_stopped, NOT_SEEN
        if case.was_stopped:
            raise NubbinError(stopped(case))  # once: a run without end costs the most time
        nothing = case.run(case.document.emptied())
    failing = Failing([answer], nothing, job.original.names_and_text)
    return fails(answer) and failing.is_by_the_input, Seen(nothing, answer)
