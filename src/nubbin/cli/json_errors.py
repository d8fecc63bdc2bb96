"""Errors as JSON for programs that asked for events."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

JSON = "--json"


@contextmanager
def json_errors(*, asked: bool) -> Iterator[None]:
    """If it was `asked` for, an error in the block is a line of JSON on standard output, not text.

    Raises SystemExit then, with the exit code of the error.
    """
    try:
        yield
    except click.ClickException as error:
        if not asked:
            raise
        print_error(error.format_message(), error.exit_code)
        sys.exit(error.exit_code)


def print_error(message: str, exit_code: int) -> None:
    """Print the line of an error."""
    from nubbin.report.json_lines import line  # noqa: PLC0415
    from nubbin.report.visible import utf8  # noqa: PLC0415

    sys.stdout.write(line("error", {"exit_code": exit_code, "message": utf8(message)}))
