"""What a person sees while a test is checked: each finding, and below them what is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from rich.text import Text

from nubbin.checks.finding import Finding
from nubbin.reduction.events import Checking, Event, Learned, RunsIn
from nubbin.report.console import stderr_console, stdout_console
from nubbin.report.findings import finding_lines, verdict_line
from nubbin.report.frame import MAX_COLUMNS
from nubbin.report.lines import checking_line, line_about_test


class CheckStatus:
    """Prints findings to standard output, and the state of the check to a terminal.

    An observer, and a context manager. With `quiet` nothing is printed.
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
        """Show what is waited for, or print what there is to know of the test."""
        match event:
            case Checking():
                self._status.update(Text(checking_line(event), style="dim"))
            case Learned() | RunsIn():
                self._print(Text(line_about_test(event)))
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
        self._status.stop()  # else its line would stay
        self._output.print(text, soft_wrap=True, highlight=False)
        self._status.start()
