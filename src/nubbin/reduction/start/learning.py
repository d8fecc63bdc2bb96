"""What is peculiar about a failure, learned by running the command on the input and on nothing."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final

from nubbin.checks.accepts_nothing import cause_of_sameness
from nubbin.checks.case import MAX_TRIES, MAX_TRIES_S, Case, Known
from nubbin.checks.in_words import stopped
from nubbin.errors import NubbinError
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_words import sayable
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.formats import is_crash, recognised
from nubbin.oracles.failures.messages import Message, last, telling
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import excerpt, quoted
from nubbin.oracles.processes.process import ended as ended_as
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.events import Learned, Observer
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin.reduction.start.check_test import before_the_start, case_of
from nubbin.reduction.start.workers import open_workers
from nubbin.search.trials import Trials
from nubbin.verdict import Verdict

#: The failures that are looked at.
_FAILURES = 2
#: The bytes of an output that are looked at, and the expressions that are tried.
_EXCERPT_BYTES = 512 << 10
_MAX_PATTERNS = 200

_CHOICES: Final = (
    "Say what is wrong with it: --prints REGEX, of what it should not print; --no-prints REGEX, of "
    "what is missing; --differs CMD, another command that does it right; --hangs TIME; --exits HOW."
)


def with_conditions(job: Job, options: WorkerOptions, tell: Observer) -> tuple[Job, Known | None]:
    """Return a job whose test says when it is interesting, and what is known of that by then.

    For a command line without conditions this costs what `learned` does, else nothing.
    """
    if not isinstance(job.test, RunTest) or job.test.conditions:
        return job, None
    conditions, known = learned(job, job.test, options, tell)
    return replace(job, test=replace(job.test, conditions=conditions)), known


def learned(
    job: Job, test: RunTest, options: WorkerOptions, tell: Observer, nothing: Answer | None = None
) -> tuple[Conditions, Known | None]:
    """Return how the command that is the test of a job fails on its input, and not on an empty one.

    These are the conditions, and what is known by then of a test that asks for them; None if it
    may find the empty input interesting. Costs four runs of the command, up to eleven if it fails
    only now and then; one less if the answer on `nothing` is known. Raises NubbinError, a paragraph
    for the user, if it does not fail or fails on anything.
    """
    bare = replace(job, test=replace(test, conditions=Conditions()))
    # Runs that do not fail say nothing on how long the others take.
    limit = options["timeout"] or Timeout().limit
    limited: WorkerOptions = {**options, "timeout": limit}
    with before_the_start(), open_workers(bare, limited) as workers:
        case = case_of(job, workers, limit, tell)
        runs = list(_failing(case))
        tries = case.runs
        nothing = nothing or case.run(job.original.emptied())
    with before_the_start(), open_workers(bare, limited) as elsewhere:
        again = case_of(job, elsewhere, limit, tell).run(job.original)
    # What names a folder is another there.
    seen = [*runs, again] if _fails(again) else runs
    conditions = replace(
        test.conditions, exits=_exits(seen), prints=_printed(case, job, seen, nothing)
    )
    tell(Learned(conditions))
    if nothing.timed_out or not conditions.refusal(Ended(nothing.exit_code or 0, nothing.output)):
        return conditions, None
    nothing = replace(nothing, verdict=Verdict.UNINTERESTING)
    return conditions, Known(Trials(len(runs), tries), nothing)


def _failing(case: Case) -> Iterator[Answer]:
    """Yield runs on the input that fail; the last one if none does."""
    started, failures = time.monotonic(), 0
    for tries in range(1, MAX_TRIES + 1):
        answer = case.run(case.document)
        if case.was_stopped:
            raise NubbinError(stopped(case))
        is_last = tries == MAX_TRIES or time.monotonic() - started > MAX_TRIES_S
        if _fails(answer) or (is_last and not failures):
            failures += 1
            yield answer
        if is_last or failures == _FAILURES:
            return


def _fails(answer: Answer) -> bool:
    return bool(answer.exit_code) or is_crash(Transcript.of([answer.output], _EXCERPT_BYTES).text)


def _printed(case: Case, job: Job, runs: list[Answer], nothing: Answer) -> str | None:
    """Return an expression for what all runs print, and the one on the empty input does not."""
    if job.options["signature"] is not None:
        return None
    name = job.original.title
    outputs = [excerpt(run.output, _EXCERPT_BYTES) for run in runs]
    said, source = Transcript.of(outputs, _EXCERPT_BYTES), job.original.names_and_text
    of_nothing = excerpt(nothing.output, _EXCERPT_BYTES)
    report = _first_peculiar(recognised(said, source), outputs, of_nothing)
    if report is not None:
        return report
    if not any(run.exit_code for run in runs):
        raise NubbinError(
            f"{job.test} succeeds on {name}, as often as it was tried, and prints no report of a "
            f"failure that nubbin knows. {_CHOICES}{quoted(runs[0].output)}"
        )
    # What else a program prints that crashes is not the reason.
    crashes = all(_ended(run).signal for run in runs)
    lines = chain(telling(said, source), last(said, source))
    message = None if crashes else _first_peculiar(lines, outputs, of_nothing)
    if message is None and _exits(runs) == _exits([nothing]) and not nothing.timed_out:
        if (cause := cause_of_sameness(case)) is not None:
            raise NubbinError(cause.text)
        raise NubbinError(
            f"{job.test} fails on an empty {name} as it does on this one: it "
            f"{ended_as(runs[0].exit_code or 0)}, and prints nothing else. {_CHOICES}"
            f"{quoted(runs[0].output)}"
        )
    return message


def _first_peculiar(said: Iterator[Message], runs: Sequence[bytes], nothing: bytes) -> str | None:
    """Return the first expression that matches what all runs print, and not what `nothing` does.

    One that matches that with other names comes after all others.
    """
    second = None
    for message in islice(said, _MAX_PATTERNS):
        pattern = Regex("--prints", sayable(message.pattern))
        if not all(map(pattern.is_soon_in, runs)) or pattern.is_soon_in(nothing):
            continue
        if not Regex("--prints", sayable(message.loose)).is_soon_in(nothing):
            return pattern.text
        second = second or pattern.text
    return second


def _exits(runs: list[Answer]) -> str | None:
    """Return how all runs end, as --exits says it."""
    ends = {_end(run) for run in runs}
    if len(ends) == 1:
        return ends.pop()
    if all(_ended(run).signal for run in runs):
        return "signal"
    return "nonzero" if all(run.exit_code for run in runs) else None


def _end(run: Answer) -> str:
    number = _ended(run).signal
    return signal.Signals(number).name if number else str(run.exit_code)


def _ended(run: Answer) -> Ended:
    return Ended(run.exit_code or 0)
