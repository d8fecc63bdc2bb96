"""The work of `nubbin check`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from nubbin.checks.case import Finding
from nubbin.cli.signals import ending_gently
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.start.check import check as checked
from nubbin.report.findings import CheckStatus
from nubbin.report.json_lines import lines
from nubbin_core.errors import NubbinError, OptionError


def check(
    test: Callable[[], UserTest], sources: Sequence[Path], *, as_json: bool, **options: Any
) -> int:
    """Print each finding as soon as it is known, and return the exit code."""
    found: list[Finding] = []

    def all_findings() -> Generator[Finding, None, None]:
        try:
            yield from checked(test(), sources, observers=[status], **options)
        except OptionError:
            raise
        except NubbinError as error:
            yield Finding("start", "problem", str(error))

    with (
        ending_gently(),
        CheckStatus(quiet=as_json) as status,
        closing(all_findings()) as each,
    ):
        for finding in each:
            found.append(finding)
            status.show(finding)
        status.conclude(found)
    if as_json:
        click.echo(lines("finding", found), nl=False)
    return int(any(finding.level == "problem" for finding in found))
