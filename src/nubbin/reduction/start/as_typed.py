"""Does a command take the path of the input behind it, or is it run as it was typed?"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from nubbin.checks.case import UNKNOWN, Known
from nubbin.checks.in_words import stopped
from nubbin.oracles.commands.command_line import words
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.tracing.traced_test import has_strace
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin.reduction.start.check_test import examined
from nubbin.reduction.start.peculiar import Failing, fails
from nubbin.reduction.start.tracing import used_by
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.verdict import Verdict


def understood(job: Job, options: WorkerOptions, tell: Observer) -> tuple[Job, Known]:
    """Return the job whose command line is run with a path behind it, or as it was typed.

    `pytest`, `make` and `npm test` find their input by themselves, where they are run. What is
    meant is what fails on the input otherwise than on an empty one: a folder is tried as it was
    typed first, a file with its path. A word that is the name of a folder may be its place, or the
    name of a program in it. Costs no run if the line has another place for the path, else two, or
    four, and one for several inputs that it does not name; the answers on nothing and on the input
    come with the job if it has no conditions. Raises OptionError for a command that looks at none
    of several inputs.
    """
    test = job.test
    if not isinstance(test, RunTest) or not test.typed:
        return job, UNKNOWN
    if job.original.name == ".":
        _check_looks(job, test, options)
    behind, typed = replace(test, typed=""), test.as_typed(job.source)
    ways = [typed, behind] if job.source.is_dir() else [behind, typed]
    for way in ways:
        tried = replace(job, test=way)
        is_meant, known = _tried(tried, way, options, tell)
        if is_meant:
            return tried, known
    return replace(job, test=ways[0]), UNKNOWN


def _check_looks(job: Job, test: RunTest, options: WorkerOptions) -> None:
    """Raise OptionError for a command that neither names any of several inputs nor looks for one.

    Costs a run, unless the line names one. Without strace nobody knows what a run looks for: then
    only that the command does not fail in the same way on empty inputs speaks for it.
    """
    packed = job.original.packed.contents
    named = {Path(word).name for word in words(test.typed)}
    if not has_strace() or any(Path(each).name in named for each in packed):
        return
    command = ProjectTest((test.typed,), test.folder, Conditions(), given=test.given)
    limit = test.conditions.hangs or options["timeout"] or Timeout().limit
    used = used_by(replace(job, test=command), job.original, limit)
    if not packed.keys().isdisjoint(used.opened | used.looked_up):
        return
    line = test.naming_here(test.given).typed
    first, *_, last = (
        quoted_word(os.path.relpath(job.root / each, test.folder)) for each in packed
    )
    raise OptionError(
        f"{line} names none of the {len(packed)} inputs and opens none of them, so nothing in them "
        "can make it fail. To reduce one input, give it alone:\n\n"
        f"    nubbin reduce --run {quoted_word(line)} {first}\n\n"
        f"If {first} belongs to the command, put both in quotes:\n\n"
        f"    nubbin reduce --run {quoted_word(f'{line} {first}')} {last}\n\n"
        "If the command takes the folder of the inputs, write {} where its path belongs."
    )


def _tried(job: Job, test: RunTest, options: WorkerOptions, tell: Observer) -> tuple[bool, Known]:
    with examined(job, options, tell) as case:
        answer = case.run(case.document)
        # One that waits for a file that it is not given would not be stopped with a path.
        if test.conditions:
            return answer.verdict is Verdict.INTERESTING or case.was_stopped, UNKNOWN
        if case.was_stopped:
            raise NubbinError(stopped(case))  # once: a run without end costs the most time
        nothing = case.run(case.document.emptied())
    failing = Failing([answer], nothing, job.original.names_and_text)
    return fails(answer) and failing.is_by_the_input, Known(nothing=nothing, answer=answer)
