"""`nubbin.resume`: go on with a run that its journal remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.files import StrPath
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.best import Best
from nubbin.reduction.carry_out import carry_out
from nubbin.reduction.checks import check_test
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.workplace import Workplace
from nubbin.search.budget import Budget
from nubbin.search.evidence import Evidence


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

    Raises WrongTest where there is no such run, where it is under way elsewhere, or where a
    changed test does not find the best interesting.
    """
    with Journal(Path(run)) as journal:
        about = journal.about
        if "test" not in about or not journal.best:
            raise WrongTest(f"The run in {run} ended before it began: start it anew.")
        test = UserTest(**about["test"])
        if not test.place.is_file():
            raise WrongTest(f"The test of this run is gone: there is no {test.place}.")
        changed = test.digest() != about["test_digest"]
        if changed:
            on_changed("The test has changed since: going on from the best, asking all anew.")
            journal.start_over(answers=False)
        elif about.get("flaky"):
            # The way there was found with another kind of questions.
            journal.start_over(answers=True)
        job = Job.of(about, journal.original)
        best = Document(job.original.name, Job.of(about, journal.best).original.files)

        def begin(command: Oracle) -> tuple[Journal, Evidence]:
            seen = Evidence(*about["original"])
            if changed:
                seen = check_test(job.test, command, best, job.signature)
                journal.tell(test_digest=job.test.digest(), original=list(seen), flaky=False)
            Best(job.root, job.target).write(best)
            return journal, seen

        return carry_out(
            job,
            workplace=Workplace(jobs, cluster, executor),
            timeout=timeout,
            budget=Budget(max_queries, max_time, target_size),
            observers=observers,
            begin=begin,
        )
