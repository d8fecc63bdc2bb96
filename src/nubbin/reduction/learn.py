"""`nubbin.learn`: what is peculiar about how a command fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.command import Command
from nubbin.oracles.run_test import RunTest
from nubbin.reduction.check import job_to_check
from nubbin.reduction.option import completed
from nubbin.reduction.options import CheckOptions


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
    given = CheckOptions(timeout=timeout, memory=memory, sandbox=sandbox)
    job = job_to_check(asked, input, completed(given, CheckOptions), name=name)
    conditions = cast("RunTest", job.test).conditions
    return replace(asked, exits=conditions.exits, prints=conditions.prints)
