"""Learn conditions for a failure by running the command on the input and on an empty one.

It also runs on broken inputs: a command that fails on these in the same way may reject any broken
input.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from nubbin.checks.case import Case
from nubbin.checks.rejection import cause_of_sameness
from nubbin.documents.document import Document
from nubbin.documents.parsing.languages import language_of
from nubbin.oracles.commands.command_line import quoted_word, sayable
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import UNCONDITIONAL, Conditions, Ended
from nubbin.oracles.failures.formats import is_crash
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.output import quoted_output
from nubbin.oracles.processes.process import exit_in_words
from nubbin.reduction.events import Learned
from nubbin.reduction.job import Job
from nubbin.reduction.start.as_typed import with_path_placed, without_outputs
from nubbin.reduction.start.failing import Failing, fails, is_in_all
from nubbin.reduction.start.known import Known
from nubbin_core.errors import NubbinError
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer, Verdict

#: The number of failures that are compared in the first folder of runs. If a run takes more seconds
#: than this, one is enough: the check of the test runs the command again.
_FAILURES, _SLOW_S = 2, 2.0
_MAX_SHOWN_CHARS = 120  # of a message that was not learned

_CHOICES: Final = (
    "Describe how it misbehaves: --prints REGEX for wrong output, --no-prints REGEX for missing "
    "output. Or --differs CMD, a command that does it right, --hangs TIME, --exits HOW."
)

#: Texts that are broken in nearly every language and table, the most telling first.
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


def with_conditions(known: Known) -> Known:
    """Return a job whose command line has conditions, and what is known of it.

    Costs what `with_path_placed` and `without_outputs` do, and without conditions what
    `learned_conditions` does.
    """
    known = without_outputs(with_path_placed(known))
    return known if known.job.test.conditions else learned_conditions(known)


def learned_conditions(known: Known, others: Sequence[Answer] = ()) -> Known:
    """Return the job with conditions for how its command fails on its input, not on an empty one.

    Nothing is known of it if it may accept the empty input. The conditions hold for the answers on
    `others` as well, inputs that fail alike.

    Costs four runs of the command, or some more if it fails only now and then, and up to six on
    broken inputs if it prints a message; one less for each answer that is known. Raises NubbinError
    if the command does not fail, or fails on any input.
    """
    job, test = known.job, known.job.test
    bare = known.of_job(replace(job, test=test.with_conditions(UNCONDITIONAL)))
    first = known.answer or _first_run(bare)
    with bare.examined() as case:
        runs = [first]
        if fails(first):
            runs += _failing(case, _FAILURES if first.seconds < _SLOW_S else 1)
        nothing = known.nothing or case.run(job.original.emptied())
        failing = Failing(runs, nothing, job.original.names_and_text)
        message = _message(case, job, failing)
        if message is not None and not is_in_all(message.pattern, others):
            message = replace(message, pattern=message.loose)  # names of this input
        conditions = _described(test.conditions, failing, message, others)
        broken, end = _same_when_broken(case, conditions, message, nothing)
    if broken and message is not None:
        conditions = _held_to_input(job, conditions, failing.with_excerpt(message), end)
    known.tell(Learned(conditions, str(test), _doubt(job, conditions, failing, message, broken)))
    learned = known.of_job(replace(job, test=test.with_conditions(conditions)))
    if nothing.timed_out or not conditions.refusal(Ended.of(nothing)):
        return learned
    trials = Trials(len(runs), 1 + case.trials.runs)
    nothing = nothing._replace(verdict=Verdict.UNINTERESTING)
    return replace(learned, nothing=nothing, trials=trials)


def _first_run(bare: Known) -> Answer:
    """Return a run on the input that fails, or the last, in a folder of its own."""
    with bare.examined() as case:
        return _failing(case, 1)[0]


def _described(
    given: Conditions, failing: Failing, message: Message | None, others: Sequence[Answer]
) -> Conditions:
    """Return the given conditions with how the runs end, and the message that they print."""
    conditions = replace(given, exits=_exits([*failing.runs, *others]))
    if message is None:
        return conditions
    errors = given.known_errors
    if errors is None:
        errors = failing.known_errors(message, others)
    return replace(conditions, prints=sayable(message.pattern), known_errors=errors)


def _held_to_input(job: Job, conditions: Conditions, message: Message, end: str) -> Conditions:
    """Return the conditions for a command that fails alike on broken input, where it ends so."""
    valid = _syntax_check(job)
    return replace(
        conditions,
        exits=conditions.exits if end == conditions.exits else "nonzero",
        prints=sayable(message.pattern),
        valid=() if valid is None else (valid,),
    )


def _same_when_broken(
    case: Case, conditions: Conditions, message: Message | None, nothing: Answer
) -> tuple[str, str]:
    """Return a broken text for which the command fails in the same way, and how; "" if none does.

    In a folder, the text replaces the file that the message names. The exit status may differ,
    because some tools exit with the number of errors. Costs a run for each text, as many at once as
    there are jobs.
    """
    if message is None or is_crash(message.line) or conditions.valid:
        return "", ""
    document, exits = case.document, conditions.exits
    named = _file_named_by(message, document)
    if named is None:
        return "", ""
    how = Conditions(exits="nonzero" if exits is not None and exits.strip("0").isdigit() else exits)
    width = case.pool.width
    for few in (_BROKEN[start : start + width] for start in range(0, len(_BROKEN), width)):
        answers = case.at_once([{**document.contents, named: text + b"\n"} for text in few])
        for text, answer in zip(map(bytes.decode, few), answers, strict=True):
            ends_so = not how.refusal(Ended(answer.exit_code or 0))
            if ends_so and Failing([answer], nothing, text).is_like(message):
                return text, _end(answer)
    return "", ""


def _file_named_by(message: Message, document: Document) -> str | None:
    """Return the only file, or the one of a folder that a message names best, if it names any."""
    if document.packed.is_single:
        return document.name
    told = f"{message.line} {message.pattern}".replace("\\", "")
    inside = f"{document.name}/"
    return max(
        (path for path in document.contents if PurePath(path).name in told),
        key=lambda path: (path.removeprefix(inside) in told, len(path)),
        default=None,
    )


def _doubt(
    job: Job, conditions: Conditions, failing: Failing, message: Message | None, broken: str
) -> str:
    """Return why the conditions may accept a different failure, in a sentence or two; else ""."""
    name, how = job.original.title, conditions.exits or ""
    if broken and conditions.valid:
        return (
            f"An input of {broken} alone fails like this, so each candidate has to be valid: "
            f"{conditions.valid[0]} accepts {name}."
        )
    if broken:
        what = "An input" if job.original.packed.is_single else "A file"
        return (
            f"{what} of {broken} alone fails like this, and so may any broken input. If {name} is "
            "not broken, name a command that accepts it and rejects broken inputs, such as another "
            "version of the tool or a formatter: --valid CMD"
        )
    is_described = message is not None and not message.is_summary
    if not is_described and not how.startswith(("SIG", "signal")):
        return (
            "The output does not identify the failure, so any run that ends like this counts. "
            "Describe the output: --prints REGEX, --no-prints REGEX"
        )
    return "" if message is None else _doubt_of_message(failing, message)


def _doubt_of_message(failing: Failing, message: Message) -> str:
    """Return why the same message may come from a different failure; "" if nothing says so."""
    if is_crash(message.line) and message.tells_no_bug:
        more = failing.option_for_more
        return (
            "The message does not say where the program crashed, so any crash counts. If the "
            f"program can print that, let it{f', with {more}' if more else ''}; otherwise describe "
            "this crash: --prints REGEX"
        )
    if message.is_of_absence:
        return (
            "The message says that something did not happen, so any input without the cause prints "
            f"it: {message.line[:_MAX_SHOWN_CHARS]!r}. Put a comment with the words `nubbin: keep` "
            "on each line of the cause, or name a command that accepts the input where it happens: "
            "--valid CMD"
        )
    if (other := failing.beside(message)) is not None:
        return (
            f"The command also prints other errors, such as {other.line[:_MAX_SHOWN_CHARS]!r}. The "
            "first counts. To choose another, match it: --prints REGEX"
        )
    if message.is_bare_test:
        return (
            "The message names the test that fails, and little of the reason. nubbin also reduces "
            "the test, which may become one that fails by itself, such as `assert 8 == 9`. Keep "
            "its lines by a comment with the words `nubbin: keep` on each, or by --keep REGEX"
        )
    return ""


def _failing(case: Case, wanted: int) -> list[Answer]:
    """Return runs on the input that fail, up to `wanted`; the last one if none does."""
    failures = list[Answer]()
    for answer in case.tries():
        if stopped := case.stopped():
            raise NubbinError(stopped.text)
        if fails(answer):
            failures.append(answer)
        if len(failures) == wanted:
            break
    return failures or [case.answer]


def _message(case: Case, job: Job, failing: Failing) -> Message | None:
    """Return what only the failing runs print; raises NubbinError if nothing tells them apart."""
    if (report := failing.report) is not None:
        return report
    name, runs = job.original.title, failing.runs
    if not any(run.exit_code for run in runs):
        raise NubbinError(
            f"{job.test} succeeds on a copy of {name}, as often as it was tried, and prints no "
            f"report of a failure that nubbin knows. {_CHOICES}{quoted_output(runs[0].output)}"
            + _by_its_output(job, failing.line)
        )
    # Other output of a program that crashes is not the reason.
    message = None if all(Ended.of(run).signal for run in runs) else failing.line
    if message is None and _exits(runs) == _exits([failing.nothing]):
        if failing.nothing.timed_out:
            return None
        if (cause := cause_of_sameness(case)) is not None:
            raise NubbinError(cause.text)
        raise NubbinError(
            f"{job.test} fails on an empty {name} as it does on this one: it "
            f"{exit_in_words(runs[0].exit_code or 0)}, and prints nothing else. {_CHOICES}"
            f"{quoted_output(runs[0].output)}"
        )
    return message


def _by_its_output(job: Job, message: Message | None) -> str:
    if message is None:
        return ""
    line = f"--run {quoted_word(str(job.test))} --prints {quoted_word(sayable(message.pattern))}"
    call = f"nubbin reduce {line} {quoted_word(str(job.source))}"
    return f"\n\nIf this output is the misbehaviour:\n\n    {call}"


def _exits(runs: Sequence[Answer]) -> str | None:
    ends = {_end(run) for run in runs}
    if len(ends) == 1:
        return ends.pop()
    if all(Ended.of(run).signal for run in runs):
        return "signal"
    return "nonzero" if all(run.exit_code for run in runs) else None


def _end(run: Answer) -> str:
    number = Ended.of(run).signal
    return signal.Signals(number).name if number else str(run.exit_code)


def _syntax_check(job: Job) -> str | None:
    """Return an installed command that accepts the input, if one is known; costs a run of it."""
    if not job.original.is_single:
        return None
    ((path, data),) = job.original.contents.items()
    line = _SYNTAX_CHECKS.get(language_of(path, data) or "")
    if line is None or shutil.which(line.split()[0]) is None:
        return None
    check = replace(job, test=RunTest.of(line, Conditions(exits="0")))
    with Known(check).examined() as case:
        accepts = case.run(job.original).verdict is Verdict.INTERESTING
    return line if accepts else None
