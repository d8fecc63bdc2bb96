"""Learn conditions for a failure by running the command on the input and on nothing.

It also runs on broken inputs: a command that fails on these in the same way rejects whatever is
broken.
"""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from nubbin.checks.case import MAX_TRIES, MAX_TRIES_S, UNKNOWN, Case, Known
from nubbin.checks.in_words import stopped
from nubbin.checks.refusal import cause_of_sameness
from nubbin.documents.parsing.languages import language_of
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_words import sayable
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.formats import is_crash
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.output import quoted
from nubbin.oracles.processes.process import ended as ended_as
from nubbin.reduction.events import Learned, Observer
from nubbin.reduction.job import Job
from nubbin.reduction.start.as_typed import understood, without_outputs
from nubbin.reduction.start.check_test import examined
from nubbin.reduction.start.peculiar import Failing, fails, is_in_all
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

#: The failures that are looked at in the first folder of runs.
_FAILURES = 2
#: If a run takes longer, one is enough: what is learned meets another run before the start.
_SLOW_S = 2.0
_MAX_SHOWN_CHARS = 120  # of a message that is not what was learned

_CHOICES: Final = (
    "Describe how it misbehaves: --prints REGEX for wrong output, --no-prints REGEX for missing "
    "output. Or --differs CMD, a command that does it right, --hangs TIME, --exits HOW."
)


def with_conditions(job: Job, tell: Observer) -> tuple[Job, Known]:
    """Return a job whose test says when it is interesting, and what is known of that by then.

    For a command line without conditions this costs what `learned` does, and what `understood`
    does for one that does not say where the path of the candidate stands; for one that names files
    of the user's, it costs what `without_outputs` does; else nothing.
    """
    job, known = without_outputs(*understood(job, tell), tell)
    if not isinstance(job.test, RunTest) or job.test.conditions:
        return job, UNKNOWN
    conditions, known = learned(job, tell, known)
    return replace(job, test=replace(job.test, conditions=conditions)), known


def learned(job: Job, tell: Observer, known: Known) -> tuple[Conditions, Known]:
    """Return how the command that is the test of a job fails on its input, and not on an empty one.

    These are the conditions, and what is known by then of a test that asks for them: nothing if it
    may find the empty input interesting. Costs four runs of the command, or some more if it fails
    only now and then, and up to six on broken inputs if it prints anything of its failure; one
    less for each that is `known`. The conditions hold for the answers on other inputs as well.
    Raises NubbinError, a paragraph for the user, if it does not fail or fails on anything.
    """
    test = job.test
    assert isinstance(test, RunTest)
    bare = replace(job, test=replace(test, conditions=Conditions()))
    elsewhere = known.answer
    if elsewhere is None:
        with examined(bare, tell) as first:
            *_, elsewhere = _failing(first, 1)
    runs, tries = [elsewhere], 1
    with examined(bare, tell) as case:
        if fails(elsewhere):
            runs += _failing(case, _FAILURES if elsewhere.seconds < _SLOW_S else 1)
            tries += case.trials.runs
        nothing = known.nothing or case.run(job.original.emptied())
        failing = Failing(runs, nothing, job.original.names_and_text)
        message = _message(case, job, failing)
        if message is not None and not is_in_all(message.pattern, known.others):
            message = replace(message, pattern=message.loose)  # names of this input
        conditions = replace(
            test.conditions,
            exits=_exits([*runs, *known.others]),
            prints=None if message is None else sayable(message.pattern),
        )
        if message is not None and test.conditions.known_errors is None:
            conditions = replace(
                conditions, known_errors=failing.known_errors(message, known.others)
            )
        broken, end = _same_when_broken(case, conditions, message, nothing)
    valid = None
    if broken and message is not None:
        valid = _syntax_check(job)
        conditions = replace(
            conditions,
            exits=conditions.exits if end == conditions.exits else "nonzero",
            prints=sayable(failing.with_excerpt(message).pattern),
            valid=() if valid is None else (valid,),
        )
    doubt = _doubt(job, conditions, message, broken, valid)
    if not doubt and message is not None:
        doubt = _doubt_of_others(failing, message)
    tell(Learned(conditions, str(test), doubt))
    if nothing.timed_out or not conditions.refusal(Ended.of(nothing)):
        return conditions, UNKNOWN
    nothing = nothing._replace(verdict=Verdict.UNINTERESTING)
    return conditions, Known(Trials(len(runs), tries), nothing)


def _same_when_broken(
    case: Case, conditions: Conditions, message: Message | None, nothing: Answer
) -> tuple[str, str]:
    """Return a broken text for which the command fails in the same way, and how; "" if none does.

    The exit status may be another: some tools end with the number of errors.
    """
    if message is None or is_crash(message.line) or conditions.valid:
        return "", ""
    exits = conditions.exits
    how = Conditions(exits="nonzero" if exits is not None and exits.strip("0").isdigit() else exits)
    for text, answer in _on_broken(case, message):
        ends_so = not how.refusal(Ended(answer.exit_code or 0))
        if ends_so and Failing([answer], nothing, text).is_like(message):
            return text, _end(answer)
    return "", ""


def _doubt(
    job: Job, conditions: Conditions, message: Message | None, broken: str, valid: str | None
) -> str:
    """Return why these may be the conditions of another failure, in a sentence or two; else ""."""
    name = job.original.title
    if valid is not None:
        return (
            f"An input of {broken} alone fails like this, so each candidate has to be valid: "
            f"{valid} accepts {name}."
        )
    if broken:
        what = "An input" if job.original.packed.is_single else "A file"
        return (
            f"{what} of {broken} alone fails like this, and so may whatever is broken. If "
            f"{name} is not broken, give a command that accepts it and nothing broken, such as "
            "another version of the tool or a formatter: --valid CMD"
        )
    how = conditions.exits or ""
    is_told = job.options.prints is not None or (message and not message.is_summary)
    if not is_told and not how.startswith(("SIG", "signal")):
        return (
            "Nothing that it prints tells this failure from others, so any that ends like this "
            "counts. Describe its output: --prints REGEX, --no-prints REGEX"
        )
    return ""


def _doubt_of_others(failing: Failing, message: Message) -> str:
    """Return which other failures may be meant, in a sentence or two; "" if none are seen."""
    if is_crash(message.line) and message.tells_no_bug:
        more = failing.option_for_more
        return (
            "It says that the program broke, and not where, so any crash of it counts. If it can "
            f"say where, let it{f', as by {more}' if more else ''}; else say what tells this crash "
            "from others: --prints REGEX"
        )
    if message.is_of_absence:
        return (
            "It says that something did not happen, and so it does wherever the reason is gone: "
            f"{message.line[:_MAX_SHOWN_CHARS]!r}. Put a comment with the words `nubbin: keep` on "
            "each line that should do it, or give a command that accepts the input where it "
            "happens: --valid CMD"
        )
    if (other := failing.beside(message)) is not None:
        return (
            f"It also prints other errors, such as {other.line[:_MAX_SHOWN_CHARS]!r}. The first "
            "counts. If you mean another one, give a part of it: --prints REGEX"
        )
    if message.is_bare_test:
        return (
            "It tells which test fails, and hardly why. The test is part of what shrinks, and may "
            "end as one that fails by itself, as `assert 8 == 9` does. Keep its lines by a comment "
            "with the words `nubbin: keep` on each, or by --keep REGEX"
        )
    return ""


def _failing(case: Case, wanted: int) -> Iterator[Answer]:
    """Yield runs on the input that fail, up to `wanted`; the last one if none does."""
    started, failures = time.monotonic(), 0
    for tries in range(1, MAX_TRIES + 1):
        answer = case.run(case.document)
        if case.was_stopped:
            raise NubbinError(stopped(case))
        is_last = tries == MAX_TRIES or time.monotonic() - started > MAX_TRIES_S
        if fails(answer) or (is_last and not failures):
            failures += 1
            yield answer
        if is_last or failures == wanted:
            return


def _message(case: Case, job: Job, failing: Failing) -> Message | None:
    """Return what all runs print, and the one on the empty input does not; None if nothing is.

    Raises NubbinError if nothing at all tells them apart.
    """
    if job.options.prints is not None:
        return None
    if (report := failing.report) is not None:
        return report
    name, runs = job.original.title, failing.runs
    if not any(run.exit_code for run in runs):
        raise NubbinError(
            f"{job.test} succeeds on a copy of {name}, as often as it was tried, and prints no "
            f"report of a failure that nubbin knows. {_CHOICES}{quoted(runs[0].output)}"
        )
    # What else a program prints that crashes is not the reason.
    message = None if all(_ended(run).signal for run in runs) else failing.line
    if message is None and _exits(runs) == _exits([failing.nothing]):
        if failing.nothing.timed_out:
            return None
        if (cause := cause_of_sameness(case)) is not None:
            raise NubbinError(cause.text)
        raise NubbinError(
            f"{job.test} fails on an empty {name} as it does on this one: it "
            f"{ended_as(runs[0].exit_code or 0)}, and prints nothing else. {_CHOICES}"
            f"{quoted(runs[0].output)}"
        )
    return message


def _exits(runs: Sequence[Answer]) -> str | None:
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


#: What hardly any language allows, or any table of data; the most telling first.
_BROKEN: Final = (b"x y", b")", b'"', b"<", b"{x y}", b"}")

#: Commands that accept a text of a language, whatever it means.
_SYNTAX_CHECKS: Final = {
    "bash": "bash -n {}",
    "c": "gcc -fsyntax-only -w {}",
    "cpp": "g++ -fsyntax-only -w {}",
    "fortran": "gfortran -fsyntax-only -w {}",
    "go": "gofmt -e {}",
    "javascript": "node --check {}",
    "json": "python3 -m json.tool {}",
    "lua": "luac -p {}",
    "ocaml": "ocamlc -stop-after parsing {}",
    "php": "php -l {}",
    "python": "python3 -m py_compile {}",
    "ruby": "ruby -c {}",
    "swift": "swiftc -parse {}",
    "toml": "python3 -c 'import sys, tomllib; tomllib.load(sys.stdin.buffer)' < {}",
    "xml": "xmllint --noout {}",
    "zig": "zig ast-check {}",
}


def _on_broken(case: Case, message: Message) -> Iterator[tuple[str, Answer]]:
    """Yield some broken texts, and what the command does if one replaces the input.

    In a folder, a text replaces the file that the message names. Costs a run for each of up to six
    texts, as many at once as there are jobs.
    """
    files = case.document.contents
    if case.document.packed.is_single:
        named = case.document.name
    else:
        said = f"{message.line} {message.pattern}".replace("\\", "")
        here = [path for path in files if PurePath(path).name in said]
        if not here:
            return
        inside = f"{case.document.name}/"
        named = max(here, key=lambda path: (path.removeprefix(inside) in said, len(path)))
    width = case.pool.width
    for few in (_BROKEN[start : start + width] for start in range(0, len(_BROKEN), width)):
        answers = case.at_once([{**files, named: text + b"\n"} for text in few])
        for text, answer in zip(few, answers, strict=True):
            yield text.decode(), answer


def _syntax_check(job: Job) -> str | None:
    """Return a command that accepts the input of a job, if one is known and installed here.

    Costs a run of it, none for a folder. The tool that fails is none: it would refuse the input.
    """
    if not job.original.is_single:
        return None
    ((path, data),) = job.original.contents.items()
    line = _SYNTAX_CHECKS.get(language_of(path, data) or "")
    if line is None or shutil.which(line.split()[0]) is None:
        return None
    check = replace(job, test=RunTest.of(line, Conditions(exits="0")))
    with examined(check, lambda event: None) as case:
        accepts = case.run(job.original).verdict is Verdict.INTERESTING
    return line if accepts else None
