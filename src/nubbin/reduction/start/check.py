"""`nubbin.check`: can a test be trusted to guide a reduction?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from nubbin.checks.case import Finding
from nubbin.checks.refusal import ALL, findings
from nubbin.option import Group
from nubbin.oracles.failures.conditions import Command
from nubbin.oracles.user_test import Given, UserTest, test_of
from nubbin.reduction.events import Observer, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import CheckKeywords, options_given, takes
from nubbin.reduction.options import Options
from nubbin.reduction.start.check_test import case_of
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.learning import with_conditions
from nubbin.reduction.start.open_job import open_workers
from nubbin_core.argument_types import StrPath


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
        job = job_to_check(test, input, chosen, tell, name=name, prints=prints)
        with open_workers(job) as workers, case_of(job, *workers, tell) as case:
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
    return with_conditions(job, tell)[0]


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
    asked = Command(run=command) if isinstance(command, str) else command
    limits: CheckKeywords = {"timeout": timeout, "memory": memory, "sandbox": sandbox}
    job = job_to_check(asked, input, options_given(limits, Group.CHECK), name=name)
    conditions = job.test.conditions
    found = replace(asked, exits=conditions.exits, prints=conditions.prints)
    return found if asked.valid else replace(found, valid=conditions.valid)
