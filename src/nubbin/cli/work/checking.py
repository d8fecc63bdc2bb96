"""The work of `nubbin check`: show what checks find out about a test, while they run or as JSON."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from nubbin.checks.case import Checking, Finding
from nubbin.cli.signals import ending_gently
from nubbin.cli.which_test import GivenTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Learned, RunsIn
from nubbin.reduction.start.check import check
from nubbin.report.json_lines import json_lines
from nubbin.report.lines import checking_line, lines_about
from nubbin.report.live import MAX_COLUMNS
from nubbin.report.standard_streams import stderr_console, stdout_console
from nubbin.text.figures import folded, visible
from nubbin_core.errors import NubbinError, OptionError

_STYLES = {"fine": "green", "doubt": "yellow", "problem": "bold red"}
_INDENT = " " * 9


def show_findings(
    *, paths: Sequence[Path], given: GivenTest, conditions: Conditions, json: bool, **options: Any
) -> int:
    """Print each finding as soon as it is known, and return the exit code."""
    test, sources = given.test_and_inputs(paths, conditions)
    output, found = stdout_console(), list[Finding]()
    status = stderr_console().status(checking_line(None), spinner="line")

    def say(text: Text) -> None:
        if not json:
            status.stop()  # removes its line
            output.print(text, soft_wrap=True, highlight=False)
            status.start()

    def tell(event: Event) -> None:
        if isinstance(event, Checking):
            status.update(Text(checking_line(event), style="dim"))
        elif isinstance(event, Learned | RunsIn):
            say(Text("\n".join(lines_about(event))))

    def all_findings() -> Generator[Finding, None, None]:
        try:
            yield from check(test(), sources, name=given.name, observers=[tell], **options)
        except OptionError:
            raise
        except NubbinError as error:
            yield Finding("problem", str(error), check="start")

    shown = nullcontext() if json else status
    with ending_gently(), shown, closing(all_findings()) as each:
        for finding in each:
            found.append(finding)
            say(_finding(finding, min(output.width, MAX_COLUMNS)))
        say(verdict_line(found))
    if json:
        click.echo(json_lines("finding", found), nl=False)
    return int(any(finding.level == "problem" for finding in found))


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
