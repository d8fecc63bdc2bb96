"""The options of a reduction, as the command line has them."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import click

from nubbin.cli.completion import complete_file
from nubbin.cli.units import PATH, cluster, duration, size
from nubbin.cli.usage import JSON, json_errors
from nubbin.reduction.option import Option, declared

_Command = Callable[..., None]

RUN_SECTION = "With --run, all that is given must hold"
#: The headings of the help, in order.
_SECTIONS = ("Run", "Result", "Test", RUN_SECTION, "Search", "Budget", "Report", "Research", "Help")

#: How text is converted, by the unit of an option.
_UNITS: dict[str, Any] = {
    "bytes": size,
    "seconds": duration,
    "address": cluster,
    "path": PATH,
    "probability": click.FloatRange(0, 1, min_open=True, max_open=True),
}


class SectionOption(click.Option):
    """An option that says under which heading of the help it belongs."""

    def __init__(self, *names: Any, section: str, **rest: Any) -> None:
        super().__init__(*names, **rest)
        self.section = section

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Nothing: the help texts give defaults and ranges in words."""
        return {}


class SectionCommand(click.Command):
    """A command whose help lists options by section, in each as they were declared.

    With --json its errors are JSON, also that it does not know an option.
    """

    def make_context(
        self, info_name: str | None, args: list[str], *rest: Any, **extra: Any
    ) -> click.Context:
        """Parse the arguments."""
        with json_errors(asked=JSON in args):
            return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with json_errors(asked=ctx.params.get("json", False)):
            return super().invoke(ctx)

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options under each heading that has some."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in _SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections[getattr(param, "section", "Help")].append(record)
        return {title: records for title, records in sections.items() if records}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options per section, all in the same two columns."""
        sections = self.sections(ctx)
        column = max(len(name) for records in sections.values() for name, _ in records)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(column), text) for name, text in records])


#: An unknown name is answered with a list of all names if these are not more.
_MAX_LISTED_NAMES = 10


class _Name(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of many names; a usage error tells those that are close to one that is unknown."""

    def __init__(self, option: Option):
        super().__init__(option.choices)
        self.others = option.others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        if value in self.choices or self.others(value):
            return value
        near = " or ".join(get_close_matches(value, self.choices))
        hint = f"Did you mean {near}?" if near else "--help lists them."
        noun = param.name if param else "name"
        return self.fail(f"there is no {noun} {value!r}. {hint}", param, ctx)


def option(section: str, *names: str, **rest: Any) -> Callable[[_Command], _Command]:
    """Declare an option that only the command line has."""
    return click.option(*names, cls=SectionOption, section=section, **rest)


def test_options(command: _Command) -> _Command:
    """Declare what gives a test that is no executable, and what counts for it."""
    in_order = (
        option(
            "Test",
            "--run",
            "line",
            metavar="CMD",
            help="Instead of TEST: run CMD, by the shell, with the candidate's path in the place "
            "of {} (or of INPUT, or at the end). What counts is below, or else learned from how "
            "CMD fails on INPUT.",
        ),
        option(
            "Test",
            "--server",
            metavar="CMD",
            help="Instead of TEST: start CMD once and ask it by the line. See docs/tests.md.",
        ),
        option(
            "Test",
            "--python",
            metavar="FILE:FUNCTION",
            shell_complete=complete_file,
            help="Instead of TEST: call a Python function; FILE is imported once, each call is a "
            "fork.",
        ),
        option(
            "Test",
            "--interpreter",
            type=PATH,
            metavar="PYTHON",
            help="With --python: the Python that calls it. Default: that of the active virtual "
            "environment, of .venv beside FILE or above it, or else nubbin's own.",
        ),
        option(
            "Test",
            "--name",
            metavar="NAME",
            help="The name of an INPUT that is a stream; its ending tells the language. Default: "
            "input.",
        ),
    )
    for add in reversed(in_order):
        command = add(command)
    return command


def options_of(kind: type) -> Callable[[_Command], _Command]:
    """Declare the options of a kind for a command."""

    def add(command: _Command) -> _Command:
        for name, (hint, each) in reversed(declared(kind).items()):
            if each.section is not None:
                command = option(each.section, *_names(name, each), **_rest(hint, each))(command)
        return command

    return add


def display_options(command: _Command) -> _Command:
    """Declare what decides what a person sees."""
    in_order = (
        option("Report", "-v", "--verbose", is_flag=True, help="Print a line per query."),
        option(
            "Report",
            "-q",
            "--quiet",
            is_flag=True,
            help="Print only errors, and the path of the result unless to a terminal.",
        ),
        option(
            "Report",
            "--watch",
            is_flag=True,
            help="Open the view of `nubbin watch` at once; q leaves it, and the run goes on.",
        ),
        option(
            "Report",
            "--stats",
            type=PATH,
            metavar="FILE",
            help="Write figures on the run to FILE, as JSON; - is standard output.",
        ),
        option(
            "Report",
            JSON,
            is_flag=True,
            help="Print events and errors as JSON, a line each, to standard output (with -v every "
            "query), and no progress. See docs/agents.md.",
        ),
    )
    for add in reversed(in_order):
        command = add(command)
    return command


def _names(name: str, each: Option) -> list[str]:
    long = f"--{name.replace('_', '-')}"
    return [each.short, long] if each.short else [long]


def _rest(hint: type, each: Option) -> dict[str, Any]:
    rest: dict[str, Any] = {"default": each.default, "metavar": each.metavar, "help": each.help}
    if hint is bool:
        return {**rest, "is_flag": True}
    if hint == tuple[str, ...]:
        return {**rest, "multiple": True}
    if each.choices:
        few = len(each.choices) <= _MAX_LISTED_NAMES
        return {**rest, "type": click.Choice(each.choices) if few else _Name(each)}
    if each.least is not None:
        return {**rest, "type": click.IntRange(min=each.least)}
    return {**rest, "type": _UNITS[each.unit]} if each.unit else rest
