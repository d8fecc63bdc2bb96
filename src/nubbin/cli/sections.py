"""Help with its options under headings."""

from __future__ import annotations

from typing import Any

import click


class SectionOption(click.Option):
    """An option that says under which heading of the help it belongs."""

    def __init__(self, *names: Any, section: str, **rest: Any) -> None:
        super().__init__(*names, **rest)
        self.section = section


class SectionCommand(click.Command):
    """A command whose help lists options by section, in the order they were declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options per section; those of click itself come last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(param, "section", "Help"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
