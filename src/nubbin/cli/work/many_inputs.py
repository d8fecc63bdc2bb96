"""The work of `nubbin campaign`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from nubbin.campaigns.campaign import CampaignEvent, Sorted, campaign
from nubbin.cli.signals import INTERRUPTED, ending_gently
from nubbin.cli.usage import print_error
from nubbin.report.campaign_table import campaign_lines
from nubbin.report.console import stderr_console
from nubbin.report.json_lines import lines
from nubbin.text.figures import counted
from nubbin.text.visible import printable
from nubbin_core.errors import OptionError


def sort_and_reduce(
    *, paths: tuple[Path, ...], run: str, quiet: bool, json: bool, **options: Any
) -> None:
    """Reduce the inputs of a campaign, show the groups, and exit."""
    console = stderr_console()

    def say(text: str) -> None:
        if not (quiet or json):
            console.print(Text(text), soft_wrap=True, highlight=False)

    def tell(event: CampaignEvent) -> None:
        if json:
            name = "sorted" if isinstance(event, Sorted) else "group"
            click.echo(lines(name, [event]), nl=False)
        elif isinstance(event, Sorted):
            groups, inputs = counted(event.groups, "group"), counted(event.inputs, "input")
            say(f"nubbin: {inputs} in {groups}, {event.passed} passed, {event.stopped} stopped")
        else:
            result = event.error or f"{counted(event.before, 'byte')} -> {event.after}"
            say(printable(f"nubbin: {event.failure}: {result}"))

    try:
        with ending_gently():
            outcome = campaign(run, paths, observers=[tell], **options)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        said = "interrupted; the same command continues"
        say(f"nubbin: {said}")
        if json:
            print_error(said, INTERRUPTED)
        sys.exit(INTERRUPTED)
    code = 1 if any(each.result is None for each in outcome.groups) else 0
    say("\n".join(campaign_lines(outcome)))
    if json:
        click.echo(lines("campaign", [{"exit_code": code, **vars(outcome)}]), nl=False)
    elif not sys.stdout.isatty():
        sys.stdout.buffer.write(os.fsencode(outcome.output) + b"\n")
    sys.exit(code)
