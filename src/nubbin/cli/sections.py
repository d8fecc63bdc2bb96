"""Help with its options under headings."""

from __future__ import annotations

from typing import Any

import click


class SectionOption(click.Option):
    """An option that says under which heading of the help it belongs."""

    def __init__(self, *names: Any, section: str, **rest: Any) -> None:
        super().__init__(*names, **rest)
        self.section = section

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Nothing: the help texts give defaults and ranges in words."""
        return {}


class SectionCommand(click.Command):
    """A command whose help lists options by section, in the order they were declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options per section, all in the same two columns."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", "Help"), []).append(record)
        names = [name for records in sections.values() for name, _ in records]
        column = max(map(len, names), default=0)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(column), text) for name, text in records])
