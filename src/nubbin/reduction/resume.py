"""`nubbin.resume`: go on with a run that its journal remembers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from nubbin.documents.reading import read
from nubbin.journal.journal import Journal
from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.best import Best
from nubbin.reduction.checks import check_test
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.output_path import original_path
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.replaceable import is_replaceable
from nubbin.reduction.run_job import run_job
from nubbin.reduction.workers import WorkerOptions
from nubbin.search.budget import Budget
from nubbin.search.trials import Trials


def resume(
    run: StrPath,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    max_queries: int | None = None,
    max_time: float | None = None,
    target_size: int | None = None,
    observers: Sequence[Observer] = (),
    on_changed: Callable[[str], None] = lambda told: None,
) -> Reduction:
    """Go on with the run recorded in a folder, whatever ended it; see `nubbin.reduce`.

    The reduction begins again with the input as it was, and what was answered before is
    answered from the journal: no query is asked twice, and the result is the same as if nothing
    had happened. Answers that a longer `timeout` could change are asked for again. If the test's
    file has changed, the run goes on from its best with no answers at hand; `on_changed` is told
    so in a sentence. A run whose test was seen to be flaky goes on from its best, too.
    `max_queries` counts the answers of the whole run, `max_time` this part.

    Raises WrongTest if there is no such run, if its journal is damaged, if it is under way
    elsewhere, if something lies at the place of the result that it did not leave there, or if a
    changed test does not find the best interesting.
    """
    with Journal(Path(run)) as journal, ExitStack() as stack:
        about = journal.about
        if "test" not in about or not journal.best:
            raise NubbinError(f"The run in {run} ended before it began: start it again.")
        left = Job.from_json(about, journal.best)
        if not left.test.place.is_file():
            raise NubbinError(f"The test of this run is gone: there is no {left.test.place}.")
        best = stack.enter_context(_held(left, journal))
        changed = left.test.digest() != about["test_digest"]
        if changed:
            on_changed("The test has changed since: going on from the best, asking all anew.")
            journal.start_over(answers=False)
        elif about.get("flaky"):
            # The way there was found with another kind of questions.
            journal.start_over(answers=True)
        job = Job.from_json(about, journal.original)

        def begin(command: Oracle) -> tuple[Journal, Trials]:
            seen = Trials(*about["original"])
            if changed:
                seen = check_test(job.test, command, left.original, job.signature)
                journal.tell(test_digest=job.test.digest(), original=list(seen), flaky=False)
            best.write(left.original)
            return journal, seen

        return run_job(
            job,
            best,
            worker_options=WorkerOptions(jobs, cluster, executor),
            timeout=timeout,
            budget=Budget(max_queries, max_time, target_size),
            observers=observers,
            begin=begin,
        )


def _held(job: Job, journal: Journal) -> Best:
    """Hold the place of a run's result; raises WrongTest if anything else lies there."""
    if job.in_place and not os.path.lexists(original_path(job.source)) and job.source.exists():
        # Killed before its first result; or INPUT.orig was moved away, and the journal has it.
        lies = read([job.source]).document
        if lies.key == journal.first:
            return Best(job.root, job.target, original=lies)
    best = Best(job.root, job.target)
    if not is_replaceable(best.path, best.found, journal.folder):
        best.close()
        raise NubbinError(
            f"{job.target} is not what this run left there; it is left as it is. Move it away, and "
            f"go on with: nubbin resume {journal.folder}"
        )
    return best
