"""`nubbin.resume`: go on with a run that its journal remembers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

from nubbin.documents.reading import read
from nubbin.journal.journal import Journal
from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.errors import NubbinError
from nubbin.reduction.best import Best
from nubbin.reduction.check_packing import check_packing
from nubbin.reduction.checks import check_test
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.open_job import OpenJob, open_job
from nubbin.reduction.option import completed, takes
from nubbin.reduction.options import ResourceOptions
from nubbin.reduction.output_path import original_path
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.replaceable import is_replaceable
from nubbin.reduction.run_job import run_job
from nubbin.search.trials import Trials


@takes(ResourceOptions)
def resume(
    run: StrPath,
    *,
    observers: Sequence[Observer] = (),
    on_changed: Callable[[str], None] = lambda text: None,
    **options: Unpack[ResourceOptions],
) -> Reduction:
    """Go on with the run recorded in a folder, whatever ended it; see `nubbin.reduce`.

    The reduction begins again with the input as it was, and what was answered before is
    answered from the journal: no query is asked twice, and the result is the same as if nothing
    had happened. Answers that a longer `timeout` could change are asked for again. If the test's
    file has changed, the reduction goes on from its best without any answers; `on_changed` is
    called with a sentence that says so. If the test was seen to be flaky, it goes on from its best,
    too. `max_queries` counts the queries of the whole reduction, `max_time` this part.

    Raises NubbinError if there is no such run, if its journal is damaged, if it is under way
    elsewhere, if something lies at the place of the result that it did not leave there, or if a
    changed test does not find the best interesting.
    """
    options = completed(options, ResourceOptions)
    with Journal(Path(run)) as journal:
        job = _recorded_job(journal)
        with _held_output(job, journal) as best:
            if changed := job.test.digest() != journal.about["test_digest"]:
                on_changed("The test has changed since: going on from the best, asking all again.")
                journal.start_over(answers=False)
            elif journal.about.get("flaky"):
                # The way there was found with another kind of questions.
                journal.start_over(answers=True)
            job = Job.from_json(journal.about, journal.original)
            with open_job(job, options) as begun:
                opened = _check_again(begun, journal, observers) if changed else begun
                baseline = Trials(*journal.about["original"])
                best.write(job.document(journal.best))
                return run_job(opened, best, journal, baseline, observers)


def _recorded_job(journal: Journal) -> Job:
    """Return the job as the journal left it, at its best; raises NubbinError if it cannot go on."""
    if "test" not in journal.about or not journal.best:
        raise NubbinError(f"The run in {journal.folder} ended before it began: start it again.")
    job = Job.from_json(journal.about, journal.best)
    if not job.test.path.is_file():
        raise NubbinError(f"The test of this run is gone: there is no {job.test.path}.")
    return job


def _held_output(job: Job, journal: Journal) -> Best:
    """Hold the place of a run's result; raises NubbinError if anything else lies there."""
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


def _check_again(opened: OpenJob, journal: Journal, observers: Sequence[Observer]) -> OpenJob:
    """Check a test that has changed, and make it the test of the run."""
    trials = check_test(opened)
    opened = check_packing(opened, trials, observers)
    digest, depth = opened.job.test.digest(), opened.job.depth
    journal.tell(test_digest=digest, original=list(trials), flaky=False, depth=depth)
    return opened
