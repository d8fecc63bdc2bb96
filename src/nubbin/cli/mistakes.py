"""What people get wrong, said in one paragraph."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import IO, Any

import click


class Mistake(click.ClickException):
    """The test or the input is wrong: one paragraph on stderr, exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the paragraph, folded to the window if there is one."""
        stream = file or sys.stderr
        text = f"nubbin: {self.message}"
        if stream.isatty():
            width = max(40, min(shutil.get_terminal_size().columns, 88))
            folded = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
            text = "\n".join(
                line if line.startswith(" ") else folded.fill(line) for line in text.splitlines()
            )
        click.echo(text, file=stream)


def check_paths(test: Path, source: Path) -> None:
    """Raise `Mistake` unless TEST and INPUT can be a test and an input."""
    for role, path in (("TEST", test), ("INPUT", source)):
        if not path.exists():
            raise Mistake(
                f"there is no {role} at {path}. The command is: nubbin reduce TEST INPUT, "
                "where TEST is an executable and INPUT the file to reduce."
            )
    if test.is_dir():
        raise Mistake(f"TEST must be an executable file, but {test} is a folder.")
    if source.is_dir():
        raise Mistake(f"INPUT must be a file, but {source} is a folder.")
    if not os.access(source, os.R_OK):
        raise Mistake(f"INPUT {source} cannot be read: permission denied.")
    if not os.access(test, os.X_OK) and os.access(source, os.X_OK):
        raise Mistake(
            f"TEST {test} is not executable, but INPUT {source} is: are they the wrong way "
            f"round? The test comes first: nubbin reduce {source} {test}"
        )


def check_destinations(
    source: Path, *, output: Path | None, in_place: bool, stats: Path | None
) -> None:
    """Raise a usage error unless the files asked for can be written where they are asked for."""
    if output is not None and in_place:
        raise click.UsageError("Give either --output or --in-place, not both.")
    for option, path in (("--output", output), ("--stats", stats)):
        if path is None:
            continue
        if path.is_dir():
            raise click.UsageError(f"{option} names a file, but {path} is a folder.")
        if not path.parent.is_dir():
            raise click.UsageError(f"{option} {path}: there is no folder {path.parent}.")
        if not os.access(path.parent, os.W_OK):
            raise click.UsageError(f"{option} {path}: the folder {path.parent} is read-only.")
        if path.exists() and path.samefile(source):
            raise click.UsageError(f"{option} {path} is INPUT itself; to replace it: --in-place.")
