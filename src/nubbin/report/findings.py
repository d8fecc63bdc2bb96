"""Show what checks find out about a test: to a person while they run, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from rich.text import Text

from nubbin.checks.case import Checking, Finding
from nubbin.reduction.events import Event, Learned, RunsIn
from nubbin.report.console import stderr_console, stdout_console
from nubbin.report.frame import MAX_COLUMNS
from nubbin.report.lines import checking_line, lines_about
from nubbin.text.visible import folded, visible

_STYLES = {"fine": "green", "doubt": "yellow", "problem": "bold red"}
_INDENT = " " * 9


def finding_lines(finding: Finding, columns: int) -> Text:
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


class CheckStatus:
    """Prints findings to standard output, and the progress of the check to a terminal.

    An observer and a context manager. With `quiet`, it prints nothing.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._output = stdout_console()
        self._status = stderr_console().status(checking_line(None), spinner="line")
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        if not self._quiet:
            self._stack.enter_context(self._status)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, event: Event) -> None:
        """Show what the check waits for, or print a fact about the test."""
        match event:
            case Checking():
                self._status.update(Text(checking_line(event), style="dim"))
            case Learned() | RunsIn():
                self._print(Text("\n".join(lines_about(event))))
            case _:
                pass

    def show(self, finding: Finding) -> None:
        """Print a finding."""
        self._print(finding_lines(finding, min(self._output.width, MAX_COLUMNS)))

    def conclude(self, findings: Sequence[Finding]) -> None:
        """Print whether the test can be trusted."""
        self._print(verdict_line(findings))

    def _print(self, text: Text) -> None:
        if self._quiet:
            return
        self._status.stop()  # removes its line
        self._output.print(text, soft_wrap=True, highlight=False)
        self._status.start()
