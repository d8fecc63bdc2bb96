"""The work of `nubbin campaign`, `check` and `init`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from nubbin.campaigns.campaign import Campaign
from nubbin.campaigns.campaign import campaign as _campaign
from nubbin.campaigns.failure_groups import FailureGroup
from nubbin.checks.case import Checking, Finding
from nubbin.cli.display import print_json
from nubbin.cli.parameters import STANDARD_OUTPUT, as_seconds
from nubbin.cli.signals import ending_gently
from nubbin.cli.usage import CliError, Interrupted
from nubbin.cli.which_test import GivenTest
from nubbin.disk import write_whole
from nubbin.journal.recorded_run import end_of
from nubbin.option import Group
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.script import script_of
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.events import Event, Learned, RunsIn
from nubbin.reduction.job import Job
from nubbin.reduction.options import Options
from nubbin.reduction.result.output_path import check_outside
from nubbin.reduction.start.check import check as _check
from nubbin.reduction.start.check import job_to_check
from nubbin.report.lines import checking_line, lines_about
from nubbin.report.live import MAX_COLUMNS
from nubbin.report.runs_table import aligned
from nubbin.report.standard_streams import stderr_console, stdout_console
from nubbin.text.figures import count, counted, folded, listed, printable, visible
from nubbin.user_paths import check_place
from nubbin_core.errors import NubbinError, OptionError

#: The table of the groups of a campaign, and how many inputs without a failure are shown.
_CAMPAIGN_HEADER = ("", "inputs", "before", "after", "queries", "", "failure")
_MAX_NAMES = 5

#: How the findings of a check are shown.
_STYLES = {"fine": "green", "doubt": "yellow", "problem": "bold red"}
_INDENT = " " * 9

_KINDS = """\
How does it misbehave?
  1  it fails: nubbin learns how
  2  it prints something that it should not
  3  it does not print something that it should
  4  it does not end
  5  another command does it right"""

#: For each of these, the condition, the next question, and the type of its answer.
_QUESTIONS: dict[int, tuple[str, str, Any]] = {
    2: ("prints", "A regular expression for that", str),
    3: ("no_prints", "A regular expression for that", str),
    4: ("hangs", "After how many seconds are you sure", as_seconds),
    5: ("differs", "The other command", str),
}


def campaign(
    *,
    paths: tuple[Path, ...],
    run: str,
    output: Path | None,
    options: Options,
    quiet: bool,
    json: bool,
) -> int:
    """Reduce the inputs of a campaign, show the groups, and return the exit code."""
    console = stderr_console()

    def say(text: str, *, always: bool = False) -> None:
        if not json and (always or not quiet):
            console.print(Text(visible(text)), soft_wrap=True, highlight=False)

    def tell(event: Campaign | FailureGroup) -> None:
        if json:
            print_json("sorted" if isinstance(event, Campaign) else "group", event)
        else:
            failed = isinstance(event, FailureGroup) and bool(event.error)
            say(f"nubbin: {_line_about(event)}", always=failed)

    try:
        with ending_gently():
            chosen = options.values(Group.CAMPAIGN)
            outcome = _campaign(run, paths, output=output, observers=[tell], **chosen)
    except KeyboardInterrupt:
        message = "" if quiet else "interrupted; the same command continues"
        raise Interrupted(message) from None
    code = 1 if any(each.result is None for each in outcome.groups) else 0
    for line in _groups_shown(outcome):
        say(line)
    if json:
        print_json("campaign", {"exit_code": code, **vars(outcome)})
    elif not sys.stdout.isatty():
        sys.stdout.buffer.write(os.fsencode(outcome.output) + b"\n")
    return code


def _line_about(event: Campaign | FailureGroup) -> str:
    """Return a line about the sorted inputs, or about a group whose reduction has ended."""
    if isinstance(event, Campaign):
        inputs = counted(sum(len(each.inputs) for each in event.groups), "input")
        groups = counted(len(event.groups), "group")
        return f"{inputs} in {groups}, {len(event.passed)} passed, {len(event.stopped)} stopped"
    sizes = f"{counted(event.before, 'byte')} -> {count(event.after)}"
    came_to = sizes if event.result else end_of(event.state).words
    return f"{printable(event.title)}: {event.error or came_to}"


def _groups_shown(outcome: Campaign) -> Iterator[str]:
    numbers = {group.name: f"{at}" for at, group in enumerate(outcome.groups, 1)}
    rows = [_group_row(group, numbers) for group in outcome.groups]
    yield from aligned([_CAMPAIGN_HEADER, *rows], right={0, 1, 2, 3, 4})
    yield ""
    if outcome.passed:
        yield f"no failure: {listed([*map(printable, outcome.passed)], _MAX_NAMES)}"
    for path in outcome.stopped:
        yield f"took too long or too much: {printable(path)}"
    if outcome.stopped:
        yield "if it hangs, and that is the failure: nubbin reduce --run CMD --hangs TIME INPUT"
    yield f"results: {printable(outcome.output)}"


def _group_row(group: FailureGroup, numbers: dict[str, str]) -> tuple[str, ...]:
    ended = "not reduced" if group.error else end_of(group.state).words
    state = "1-minimal" if group.minimal else ended
    state += ", flaky" if group.flaky else ""
    sizes = ("", "") if group.result is None else (count(group.after), count(group.queries))
    return (
        numbers[group.name],
        count(len(group.inputs)),
        count(group.before),
        *sizes,
        f"same as {numbers[group.same_as]}" if group.same_as else state,
        printable(group.title),
    )


def check(
    *,
    paths: Sequence[Path],
    given: GivenTest,
    options: Options,
    conditions: Conditions,
    json: bool,
) -> int:
    """Print each finding as soon as it is known, and return the exit code."""
    test, sources = given.test_and_inputs(paths, conditions)
    view = _CheckView()
    observers = [] if json else [view]
    findings = _findings(test, sources, options, name=given.name, observers=observers)
    with ending_gently(), closing(findings):
        found = list(findings) if json else view.show(findings)
    if json:
        print_json("finding", *found)
    return int(any(finding.level == "problem" for finding in found))


def _findings(
    test: Callable[[], UserTest], sources: Sequence[Path], options: Options, **rest: Any
) -> Generator[Finding, None, None]:
    """Yield the findings of a check; an error in the test or the input is one."""
    try:
        yield from _check(test(), sources, **rest, **options.values(Group.CHECK))
    except OptionError:
        raise
    except NubbinError as error:
        yield Finding("problem", str(error), check="start")


class _CheckView:
    """Shows the findings of a check; the last line on a terminal is about the present run."""

    def __init__(self) -> None:
        self._output = stdout_console()
        self._status = stderr_console().status(checking_line(None), spinner="line")

    def __call__(self, event: Event) -> None:
        if isinstance(event, Checking):
            # Of several lines, all but the last would be erased after what is printed next.
            line = Text(checking_line(event), "dim")
            line.truncate(self._status.console.width - len("| "), overflow="ellipsis")
            self._status.update(line)
        elif isinstance(event, Learned | RunsIn):
            self._say(Text("\n".join(lines_about(event))))

    def show(self, findings: Iterable[Finding]) -> list[Finding]:
        """Show each finding as soon as it is known, and then the verdict; return them all."""
        found = list[Finding]()
        with self._status:
            for finding in findings:
                found.append(finding)
                self._say(_finding(finding, min(self._output.width, MAX_COLUMNS)))
            self._say(verdict_line(found))
        return found

    def _say(self, text: Text) -> None:
        self._status.stop()  # removes its line
        self._output.print(text, soft_wrap=True, highlight=False)
        self._status.start()


def _finding(finding: Finding, columns: int) -> Text:
    """Return a finding after its level, folded to so many columns; quoted blocks are kept."""
    text = folded(visible(finding.text), columns, _INDENT)
    label = finding.level.ljust(len(_INDENT))
    return Text.assemble((label, _STYLES[finding.level]), text.removeprefix(_INDENT))


def verdict_line(findings: Sequence[Finding]) -> Text:
    """Return a line that says whether the test can be trusted: no, with doubts, or yes."""
    levels = {finding.level for finding in findings}
    if "problem" in levels:
        return Text("The test cannot be trusted.", style="bold red")
    if "doubt" in levels:
        return Text("The test can be trusted, with the doubts above.", style="bold yellow")
    return Text("The test can be trusted.", style="bold green")


def init(
    *,
    paths: Sequence[Path],
    line: str | None,
    output: Path | None,
    conditions: Conditions,
    force: bool,
    json: bool,
) -> None:
    """Print the command line that reduces, and write a script; ask for them without a `line`."""
    if line is None and not sys.stdin.isatty():
        raise click.UsageError("Missing --run CMD: there is no terminal to ask for it.")
    if line is not None and not paths:
        raise click.UsageError("Missing INPUT: the file or the folder to reduce.")
    if line is None:
        paths = paths or (Path(click.prompt("The file or folder to reduce", err=True)),)
        line = click.prompt("The command that misbehaves ({} is the file)", err=True)
        conditions = replace(conditions, **_ask_for_condition())
        if output is None:
            text = "Write a script to (nothing: show the command line)"
            name = click.prompt(text, default="", show_default=False, err=True)
            output = Path(name) if name else None
    with ending_gently():
        _check_script(output, paths, force=force)
        source = paths[0] if len(paths) == 1 else paths
        job = job_to_check(RunTest.of(line, conditions, source), paths)
        if output is not None:
            _write_script(job, output)
    test = job.test.as_options if output is None else quoted_word(output)
    reduces = f"nubbin reduce {test} {shlex.join(map(str, paths))}"
    if json:
        print_json("command", {"line": reduces, "output": output})
    else:
        click.echo(reduces)


def _ask_for_condition() -> dict[str, Any]:
    click.echo(_KINDS, err=True)
    kind = click.prompt("Number", type=click.IntRange(1, 5), default=1, err=True)
    if kind not in _QUESTIONS:
        return {}
    name, question, answer = _QUESTIONS[kind]
    return {name: click.prompt(question, type=answer, err=True)}


def _check_script(output: Path | None, paths: Sequence[Path], *, force: bool) -> None:
    if output is None:
        return
    if output == STANDARD_OUTPUT:
        raise click.UsageError("--output -: standard output has the command line. Name a file.")
    if output.exists():
        if any(path.exists() and path.samefile(output) for path in paths):
            raise CliError(f"{output} is the input itself. Name another file for the script.")
        if not force:
            raise CliError(f"{output} exists already. Name another file, or give --force.")
    check_outside(output, paths)
    check_place(output)


def _write_script(job: Job, output: Path) -> None:
    document = job.original
    text = script_of(str(job.test), job.test.conditions, document.name, is_file=document.is_single)
    try:
        write_whole(output, text.encode(errors="surrogateescape"), 0o755)
    except OSError as error:
        raise CliError(f"{output} cannot be written: {error.strerror}.") from None
