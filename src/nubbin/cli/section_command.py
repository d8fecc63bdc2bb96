"""A command whose help has its options by section: some for daily use, or all."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import cleandoc
from itertools import pairwise
from typing import Any

import click

from nubbin.cli.parameters import Gathered
from nubbin.option import CONDITIONS, first_sentence
from nubbin_core.errors import OptionError

#: The headings of the help, in order.
_DAILY = "Options"
_SECTIONS = (
    _DAILY,
    "Run",
    "Result",
    "Test",
    CONDITIONS,
    "Search",
    "Budget",
    "Report",
    "Research",
    "Help",
)


class SectionCommand(click.Command):
    """A command whose help lists options by section, in the order of their declaration.

    `work` gets the values of the parameters by name, and returns the exit code or None. `examples`
    are command lines and their purposes, `forms` other forms of the arguments. --help shows the
    first two paragraphs of the `help`, the examples, and the first sentence about each option for
    daily use. --help-all shows everything.
    """

    def __init__(
        self,
        work: Callable[..., Any],
        help: str,
        *declared: click.Parameter | Gathered,
        examples: Sequence[tuple[str, str]] = (),
        forms: Sequence[str] = (),
        **rest: Any,
    ) -> None:
        params = [
            param
            for each in declared
            for param in (each.params if isinstance(each, Gathered) else [each])
        ]
        about = "Show all options and the exit codes, and exit."
        params.append(printing_flag("--help-all", text=_help_all, help=about))
        super().__init__(None, callback=self._call, help=help, params=params, **rest)
        self.examples, self.forms = examples, forms
        self._work = work
        self._gathered = [each for each in declared if isinstance(each, Gathered)]

    def _call(self, **values: Any) -> Any:
        for each in self._gathered:
            given = {option.name: values.pop(option.name) for option in each.declared}
            before = values.get(each.name)
            values[each.name] = replace(before, **given) if before else each.declaring(**given)
        return self._work(**values)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; `INPUT... -- CMD...` is another form of `--run CMD INPUT...`."""
        if any("--run" in each.opts for each in self.params):
            args = self._with_run(args)
        return super().parse_args(ctx, args)

    def _with_run(self, args: list[str]) -> list[str]:
        """Return arguments in which --run precedes a command that followed INPUT and --.

        Other words after -- are kept: `-q -- TEST INPUT` has no input before the dashes.
        """
        end = args.index("--") if "--" in args else len(args)
        command = args[end + 1 :]
        takes = {
            name
            for each in self.params
            if isinstance(each, click.Option) and not each.is_flag
            for name in each.opts
        }
        has_input = any(
            before not in takes and (word == "-" or not word.startswith("-"))
            for before, word in pairwise(["", *args[:end]])
        )
        is_given = any(each.partition("=")[0] == "--run" for each in args[:end])
        is_command = command and shutil.which(command[0].partition(" ")[0]) is not None
        if is_given or not has_input or not is_command:
            return args
        return [*args[:end], "--run", command_line(command)]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and exit with the code that its function returns."""
        try:
            ctx.exit(super().invoke(ctx) or 0)
        except OptionError as error:
            raise click.UsageError(str(error), ctx) from None

    def sections(
        self, ctx: click.Context, *, daily: bool = False
    ) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options under each heading that has some.

        With `daily`, the options for daily use are under one heading, except the conditions.
        """
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in _SECTIONS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is None or (daily and not getattr(param, "daily", True)):
                continue
            section, (name, text) = getattr(param, "section", "Help"), record
            if daily:
                section = section if section == CONDITIONS else _DAILY
                text = first_sentence(text)
            sections[section].append((name, text))
        return {title: records for title, records in sections.items() if records}

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each form of the command line."""
        super().format_usage(ctx, formatter)
        for form in self.forms:
            formatter.write(f"       {ctx.command_path} [OPTIONS] {form}\n")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and examples."""
        paragraphs = cleandoc(self.help or "").split("\n\n")
        shown = paragraphs if _shows_all(ctx) else paragraphs[:2]
        for paragraph in shown:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)
        if self.examples:
            formatter.write_paragraph()
            write_examples(formatter, self.examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of options per section, all with the same two columns."""
        sections = self.sections(ctx, daily=not _shows_all(ctx))
        column = max(len(name) for records in sections.values() for name, _ in records)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(column), text) for name, text in records])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes in the complete help."""
        if _shows_all(ctx):
            super().format_epilog(ctx, formatter)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Write command lines, each with its purpose."""
    column = max(len(line) for line, _ in examples)
    for line, purpose in examples:
        formatter.write(f"  {line:{column}}  {purpose}\n")


def command_line(command: Sequence[str]) -> str:
    """Return the command line for a command and its arguments, or for one word for the shell."""
    return command[0] if len(command) == 1 else shlex.join(command)


_ALL = "nubbin.help_all"


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get(_ALL))


def _help_all(ctx: click.Context) -> str:
    ctx.meta[_ALL] = True
    return ctx.get_help()


def printing_flag(*names: str, text: Callable[[click.Context], str], help: str) -> click.Option:
    """Return a flag that prints a text and exits."""

    def show(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
        if is_given and not ctx.resilient_parsing:
            click.echo(text(ctx), color=ctx.color)
            ctx.exit()

    return click.Option(
        names, is_flag=True, is_eager=True, expose_value=False, callback=show, help=help
    )
