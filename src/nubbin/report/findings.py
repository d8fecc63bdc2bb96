"""What checks find out about a test, for a person and for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from rich.text import Text

from nubbin.checks.finding import Finding
from nubbin.report.visible import visible

_STYLES = {"fine": "green", "doubt": "yellow", "problem": "bold red"}
_INDENT = " " * 9


def finding_lines(finding: Finding, columns: int) -> Text:
    """Return a finding after its level, folded to a number of columns; quoted blocks stay."""
    folded = textwrap.TextWrapper(
        columns, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False
    )
    lines = visible(finding.text).splitlines()
    text = "\n".join(
        f"{_INDENT}{line}" if line.startswith(" ") else folded.fill(line) for line in lines
    )
    label = finding.level.ljust(len(_INDENT))
    return Text.assemble((label, _STYLES[finding.level]), text.removeprefix(_INDENT))


def verdict_line(findings: Sequence[Finding]) -> Text:
    """Return whether the test can be trusted."""
    if any(finding.level == "problem" for finding in findings):
        return Text("The test cannot be trusted.", style="bold red")
    return Text("The test can be trusted.", style="bold green")


def findings_json(findings: Sequence[Finding]) -> str:
    """Return all findings as a JSON array of objects with `check`, `level` and `text`."""
    return json.dumps([asdict(finding) for finding in findings], indent=2)
