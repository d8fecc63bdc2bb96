"""The work of `nubbin campaign`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from nubbin.campaigns.campaign import Campaign, campaign
from nubbin.campaigns.failure_groups import FailureGroup
from nubbin.cli.signals import ending_gently
from nubbin.cli.usage import Interrupted
from nubbin.report.json_lines import json_lines
from nubbin.report.runs_table import aligned
from nubbin.report.standard_streams import stderr_console
from nubbin.runs.recorded_run import end_of
from nubbin.text.figures import count, counted, listed, printable

_HEADER = ("", "inputs", "before", "after", "queries", "", "failure")
_MAX_NAMES = 5  # of inputs without a failure that are shown


def sort_and_reduce(
    *, paths: tuple[Path, ...], run: str, quiet: bool, json: bool, **options: Any
) -> int:
    """Reduce the inputs of a campaign, show the groups, and return the exit code."""
    console = stderr_console()

    def say(text: str) -> None:
        if not (quiet or json):
            console.print(Text(printable(text)), soft_wrap=True, highlight=False)

    def tell(event: Campaign | FailureGroup) -> None:
        if json:
            name = "sorted" if isinstance(event, Campaign) else "group"
            click.echo(json_lines(name, [event]), nl=False)
        elif isinstance(event, FailureGroup):
            sizes = f"{counted(event.before, 'byte')} -> {count(event.after)}"
            came_to = sizes if event.result else end_of(event.state).words
            say(f"nubbin: {event.title}: {event.error or came_to}")
        else:
            inputs = counted(sum(len(each.inputs) for each in event.groups), "input")
            more = f"{len(event.passed)} passed, {len(event.stopped)} stopped"
            say(f"nubbin: {inputs} in {counted(len(event.groups), 'group')}, {more}")

    try:
        with ending_gently():
            outcome = campaign(run, paths, observers=[tell], **options)
    except KeyboardInterrupt:
        said = "" if quiet else "interrupted; the same command continues"
        raise Interrupted(said) from None
    code = 1 if any(each.result is None for each in outcome.groups) else 0
    for line in _shown(outcome):
        say(line)
    if json:
        click.echo(json_lines("campaign", [{"exit_code": code, **vars(outcome)}]), nl=False)
    elif not sys.stdout.isatty():
        sys.stdout.buffer.write(os.fsencode(outcome.output) + b"\n")
    return code


def _shown(outcome: Campaign) -> Iterator[str]:
    numbers = {group.name: f"{at}" for at, group in enumerate(outcome.groups, 1)}
    rows = [_row(group, numbers) for group in outcome.groups]
    yield from aligned([_HEADER, *rows], right={0, 1, 2, 3, 4})
    yield ""
    if outcome.passed:
        yield f"no failure: {listed([*map(str, outcome.passed)], _MAX_NAMES)}"
    for path in outcome.stopped:
        yield f"took too long or too much: {path}"
    if outcome.stopped:
        yield "if it hangs, and that is the failure: nubbin reduce --run CMD --hangs TIME INPUT"
    yield f"results: {outcome.output}"


def _row(group: FailureGroup, numbers: dict[str, str]) -> tuple[str, ...]:
    state = "1-minimal" if group.minimal else end_of(group.state).words
    state += ", flaky" if group.flaky else ""
    sizes = ("", "") if group.result is None else (count(group.after), count(group.queries))
    return (
        numbers[group.name],
        count(len(group.inputs)),
        count(group.before),
        *sizes,
        f"same as {numbers[group.same_as]}" if group.same_as else state,
        f"{group.title} {group.error}".strip(),
    )
