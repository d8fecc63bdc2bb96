"""`nubbin.resume`: continue a recorded run, with the inputs as it recorded them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Unpack

from nubbin.checks.rejection import why_rejected
from nubbin.disk import Folder, followed
from nubbin.documents.reading.from_disk import read
from nubbin.journal.journal import Journal, fork_run
from nubbin.journal.mark import check_own
from nubbin.journal.reading import candidate, facts_of
from nubbin.journal.recorded_run import end_of
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import new_run
from nubbin.journal.schema import never_began
from nubbin.option import Group
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.doors.open_doors import GivenFunction
from nubbin.reduction.events import ChangedTest, Observer, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import ResumeKeywords, options_given, takes
from nubbin.reduction.options import Options
from nubbin.reduction.result.output_path import backup_path, is_replaceable
from nubbin.reduction.result.place import ResultPlace
from nubbin.reduction.run_job import JobRun, Reduction
from nubbin.reduction.start.check import before_the_first_query, checked
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.open_job import OpenJob, open_job
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError


@takes(Group.RESUME)
def resume(
    run: StrPath,
    *,
    step: int | None = None,
    prints: str | None = None,
    observers: Sequence[Observer] = (),
    **options: Unpack[ResumeKeywords],
) -> Reduction:
    """Continue the run recorded in a folder, whatever ended it; see `nubbin.reduce`.

    The reduction is repeated with the answers of the journal, so no query is run twice, and the
    result is the same as without an interruption. First, one run of the test checks that it still
    accepts the best candidate. Queries that a longer `timeout` could change are run again. If the
    file of the test has changed, the reduction continues from its best without any answers, and
    observers get a `ChangedTest`. A flaky test also continues from its best. `max_queries` counts
    the queries of the whole reduction, `max_time` only this part.

    With a `step`, the number of an accepted candidate, or with another choice (`prints`, `format`,
    `without`), a new run continues from that candidate, by default the best. `prints` replaces the
    expression that the test had. The new run has a folder of its own beside the result, which it
    replaces.

    Raises NubbinError if there is no such run or step, if its journal is damaged, if another
    process writes it, if something else is at the place of the result, if the test rejects the
    candidate, or if another user recorded the run and `trust` is not set: a run names the command
    to execute and the path to write. Raises OptionError for a value that an option cannot have.
    """
    chosen = options_given(options, Group.RESUME)
    asked = Conditions(prints=prints)  # raises OptionError
    values = {"prints": asked.prints, **chosen.values(Group.CHOICES)}
    choices = {name: each for name, each in values.items() if each}
    if step is None and not choices:
        return _continue(Path(run), Path(run), chosen, observers, trust=chosen.trust)
    with _fork(Path(run), step, choices, trust=chosen.trust) as folder:
        return _continue(folder, Path(run), chosen, observers)


@contextmanager
def _fork(
    run: Path, step: int | None, choices: Mapping[str, Any], *, trust: bool
) -> Iterator[Path]:
    """Make a new run from a candidate; remove it if the block raises before the run begins."""
    if not trust:
        check_own(run)  # before a folder is made at a place that it names
    facts = facts_of(run)
    target = Path(facts.target)
    folder = new_run(target.parent, facts.name if facts.name != "." else target.name)
    changes = dict[str, Any]()
    if "prints" in choices:
        changes["test_digest"] = None  # so that no answer is used
    if "format" in choices:
        changes["depth"] = 0  # a named format is not unpacked
    has_begun = False
    try:
        fork_run(run, step, folder, choices, trust=trust, **changes)
        yield folder
    finally:
        with suppress(NubbinError):
            has_begun = bool(facts_of(folder).sessions)
        if not has_begun:
            with Folder(followed(folder.parent)) as runs:
                runs.remove([folder.name])


def _continue(
    run: Path, writer: Path, options: Options, observers: Sequence[Observer], *, trust: bool = False
) -> Reduction:
    """Continue a run; the run in the folder `writer` wrote what is at the place of the result."""
    tell, budget = to_all(observers), options.budget()
    with ExitStack() as stack:

        def prepared() -> JobRun:
            journal = stack.enter_context(Journal(run, trust=trust))
            at_best, facts = _recorded_job(journal), journal.facts
            place = stack.enter_context(_recorded_place(at_best, journal, writer))
            has_changed = at_best.test.digest() != facts.test_digest
            if has_changed and facts.test_digest is not None:
                tell(ChangedTest())
            if has_changed or facts.flaky:  # candidates of a flaky test need more than a single run
                journal.start_over(answers=not has_changed)
            job = Job.of(facts, candidate(run, journal.facts.first), options)
            opened = stack.enter_context(open_job(job, budget))
            if has_changed:
                opened = _check_again(opened, journal, writer, tell)
            else:
                opened.pool.alone = facts.one_job
                if not end_of(facts.ended or "").is_done and not facts.flaky:
                    _check_still_accepted(at_best, opened, tell)
                opened.named.extend(facts.said)
            return JobRun(opened, place, journal.facts, journal)

        again = before_the_first_query(budget, prepared)
        assert again.journal is not None
        again.place.write(again.opened.job.document(again.journal.best))
        return again.reduced(observers)


def _recorded_job(journal: Journal) -> Job:
    """Return the recorded job with its best candidate; raises NubbinError if it cannot continue."""
    if not journal.best:
        raise never_began(journal.folder)
    job = Job.of(journal.facts, journal.best)
    if not job.test.path.is_file():
        raise NubbinError(f"The test of this run no longer exists: there is no {job.test.path}.")
    _check_code(job, journal.facts)
    return job


def _check_code(job: Job, began: RunFacts) -> None:
    if began.options.get("proposer"):
        raise NubbinError(
            "This run used --proposer, which this version of nubbin does not have. Reduce its "
            f"result in a new run: nubbin reduce ... {job.target}. In place of a proposer, give "
            "--pass FILE.py:NAME, a function that yields edits (docs/doors.md)."
        )
    try:
        algorithm = job.algorithm
    except ValueError as error:
        raise NubbinError(
            f"The algorithm of this run no longer exists: there is {error}."
        ) from None
    passes = [GivenFunction.of(each) for each in job.options.passes]
    now = [("algorithm", algorithm.title, algorithm.source)]
    now += [("pass", each.title, each.source) for each in passes]
    then = [began.algorithm_source, *began.pass_sources]
    for (noun, title, source), began_with in zip(now, then, strict=True):
        if source != began_with:
            raise NubbinError(
                f"The {noun} {title} has changed since this run began: it was "
                f"{began_with or 'part of nubbin'}, and is {source or 'part of nubbin'}. A run "
                f"ends with the {noun} that it began with: put that back, or begin a new run."
            )


def _recorded_place(job: Job, journal: Journal, writer: Path) -> ResultPlace:
    """Lock the place of a run's result; raises NubbinError if anything else is there."""
    if job.in_place and not os.path.lexists(backup_path(job.source)) and job.source.exists():
        # It was killed before its first result, or the user moved INPUT.orig away.
        lies = read([job.source], all_files=True).document  # nothing was left out
        if lies.key == journal.first:
            return ResultPlace(job.root, job.target, original=lies)
    place = ResultPlace(job.root, job.target)
    if not is_replaceable(place.path, place.found, writer):
        place.close()
        raise NubbinError(
            f"{job.target} has changed since this run wrote it. nubbin does not replace it. Move "
            f"it away, and continue with: {nubbin_line('resume', journal.folder)}"
        )
    return place


def _check_still_accepted(at_best: Job, opened: OpenJob, tell: Observer) -> None:
    """Run the test once on the best candidate; raises NubbinError if it rejects that now."""
    with Known(at_best, tell).case(opened.oracle, opened.pool) as case:
        case.run(case.document)
        if finding := why_rejected(case):
            raise NubbinError(
                f"The test accepted the best candidate of this run, and rejects it now. Its file "
                f"is the same, so something else has changed: a variable, a program, a file that "
                f"it reads. {finding.text}"
            )


def _check_again(opened: OpenJob, journal: Journal, writer: Path, tell: Observer) -> OpenJob:
    """Check a test that has changed, and record it as the test of the run."""
    try:
        opened, baseline = checked(Known(opened.job, tell), opened)
    except NubbinError as error:
        raise NubbinError(
            f"The run cannot continue from this candidate. `{nubbin_line('log', writer)}` lists "
            f"others, for --from NUMBER. {error}"
        ) from error
    journal.tell(
        test_digest=opened.job.test.digest(),
        flaky=False,
        one_job=opened.pool.alone,
        depth=opened.job.depth,
        **baseline.facts(),
    )
    return opened
