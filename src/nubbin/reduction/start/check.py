"""Check whether a test can guide a reduction: before one begins, or for a person who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, Unpack

from nubbin.checks.case import Finding
from nubbin.checks.rejection import ALL, NEEDED, findings
from nubbin.journal.run_facts import Baseline
from nubbin.option import Group
from nubbin.oracles.failures.conditions import Command
from nubbin.oracles.failures.transcript import standing_out
from nubbin.oracles.user_test import Given, UserTest, test_of
from nubbin.reduction.events import Disturbed, Observer, TakenApart, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import CheckKeywords, options_given, takes
from nubbin.reduction.options import Options
from nubbin.reduction.result.drift import failure_of
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.open_job import OpenJob, open_workers
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.late import late
from nubbin_core.search.budget import Budget, BudgetSpent
from nubbin_core.search.trials import REJECTED_ONCE, Trials
from nubbin_core.verdict import Verdict

_trials_alone = late("nubbin.checks.trust:trials_alone")
_with_conditions = late("nubbin.reduction.start.learning:with_conditions")

T = TypeVar("T")


# -- before a reduction --------------------------------------------------------------------


def before_the_first_query(budget: Budget, prepared: Callable[[], T]) -> T:
    """Return what `prepared` does; raises NubbinError if the time of the budget ends first."""
    with suppress(BudgetSpent):
        return budget.limited(prepared)
    raise NubbinError(
        f"The time of --max-time was over after {budget.seconds:.1f} s, before the first query: "
        "the input was still being read, or the test checked. Nothing has been written. Give "
        "more time."
    )


def learned(known: Known) -> Known:
    """Return the job with the conditions that a command line lacks; see `with_conditions`."""
    found: Known = _with_conditions(known) if known.job.test.is_line else known
    return found


def checked(known: Known, opened: OpenJob) -> tuple[OpenJob, Baseline]:
    """Check a test and the packing of containers; see `check_test` and `check_packing`."""
    baseline = check_test(known, opened)
    opened.named.extend(baseline.said)
    return check_packing(opened, baseline.original, known.tell), baseline


def check_test(known: Known, opened: OpenJob) -> Baseline:
    """Check that a test accepts the input twice, and rejects the empty input.

    Costs three runs, at once if there are so many jobs, and some more if the test is flaky or
    wrong; up to three fewer for what is known. If runs disturb each other, nubbin makes one at a
    time from then on. Raises NubbinError.
    """
    job = known.job
    with known.case(opened.oracle, opened.pool) as case:
        for finding in findings(case, NEEDED):
            if finding.level == "problem":
                raise NubbinError(finding.text)
        tells = job.test.prints_its_failure
        failure = failure_of(case.output, job.original, job.test.printing) if tells else None
        trials, nothing = case.trials, case.trials_of_nothing
        if case.contradicted or not case.trials.agrees:
            alone = _trials_alone(case)
            if alone is not None:
                opened.pool.alone = True
                known.tell(Disturbed(alone))
                trials, nothing = alone, REJECTED_ONCE
        return Baseline(
            original=trials,
            nothing=nothing,
            failure=None if failure is None else (failure.line, *failure.patterns),
            frames=() if failure is None else failure.frames,
            said=standing_out(case.output),
        )


def check_packing(opened: OpenJob, baseline: Trials, tell: Observer) -> OpenJob:
    """Return the job with containers unpacked to the depth at which the test accepts the input.

    Packing changes bytes that are in no member. If the test then rejects the input, only the
    outermost containers are unpacked, and if it still does, none. Costs no run without containers,
    otherwise one or two, or more if `baseline`, the trials of the input, are flaky.
    """
    rejected = False
    while not _survives(opened, baseline):
        rejected = True
        containers = opened.job.original.containers
        opened = opened.at_depth(1)
        if opened.job.original.containers == containers:
            opened = opened.at_depth(0)
    document = opened.job.original
    if rejected or document.containers:
        files = len(document.files) if document.containers else 0
        tell(TakenApart(files, sum(map(len, document.data.values())), rejected))
    return opened


def _survives(opened: OpenJob, baseline: Trials) -> bool:
    """Tell whether the test accepts the document with all containers packed again."""
    repacked = opened.job.original.repacked
    if not repacked.can_be_packed or repacked.key == opened.job.original.key:
        return repacked.can_be_packed
    tries = 1 if baseline.agrees else baseline.runs
    answers = (opened.oracle(repacked.contents) for _ in range(tries))
    return any(answer.verdict is Verdict.INTERESTING for answer in answers)


# -- for a person --------------------------------------------------------------------------


@takes(Group.CHECK)
def check(
    test: UserTest | Command | StrPath | Callable[[Path], bool | None],
    input: StrPath | Sequence[StrPath],
    *,
    name: str | None = None,
    prints: str | None = None,
    observers: Sequence[Observer] = (),
    **options: Unpack[CheckKeywords],
) -> Iterator[Finding]:
    """Find out whether a test can be trusted on an input, and yield what is found, a check each.

    `test`, `input`, `name` and `prints` are as for `nubbin.reduce`. A test cannot be trusted if the
    level of any finding is `problem`. Nothing is written; files around the input are copied if the
    test seems to miss them.

    Costs some twenty runs of the test. Raises NubbinError, whose text is a paragraph for the user,
    when the test cannot be run at all, or the input or an option is wrong.
    """
    chosen, tell = options_given(options, Group.CHECK), to_all(observers)

    def found() -> Iterator[Finding]:
        known = Known(job_to_check(test, input, chosen, tell, name=name, prints=prints), tell)
        with open_workers(known.job) as workers, known.case(*workers) as case:
            yield from findings(case, ALL)

    return found()


def job_to_check(
    test: Given,
    input: StrPath | Sequence[StrPath],
    options: Options | None = None,
    tell: Observer = lambda event: None,
    *,
    name: str | None = None,
    prints: str | None = None,
) -> Job:
    """Return a job that is not to be run, with conditions that are learned if there are none."""
    options = options or Options()
    found = read_inputs(input, name=name, all_files=options.all_files)
    job = Job.of_inputs(test_of(test, found.given_as, prints), found, options)
    return learned(Known(job, tell)).job


def learn(
    command: Command | str,
    input: StrPath | Sequence[StrPath],
    *,
    name: str | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    sandbox: bool = False,
) -> Command:
    """Return a command with conditions for how it fails on an input, and not on an empty one.

    `nubbin.reduce` does the same with a command that has none; here they can be looked at, and
    changed by `dataclasses.replace`. `timeout` is in seconds, `memory` in bytes; see
    `nubbin.reduce` for these and for `input` and `name`. Nothing is written.

    Costs four runs of the command, up to eleven if it fails only now and then. Raises NubbinError,
    whose text is a paragraph for the user, if the command does not fail, if it fails on the empty
    input in the same way, or if the input cannot be read.
    """
    given = Command(run=command) if isinstance(command, str) else command
    limits: CheckKeywords = {"timeout": timeout, "memory": memory, "sandbox": sandbox}
    job = job_to_check(given, input, options_given(limits, Group.CHECK), name=name)
    conditions = job.test.conditions
    found = replace(given, exits=conditions.exits, prints=conditions.prints)
    return found if given.valid else replace(found, valid=conditions.valid)
