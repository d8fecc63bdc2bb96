"""What people get wrong, said in one paragraph."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
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


def check_inputs(test: Path | None, sources: Sequence[Path]) -> None:
    """Raise `Mistake` when an INPUT looks like the test.

    What can be wrong with TEST or INPUT alone is found, and said, where they are used.
    """
    for source in sources:
        _check_input(test, source)


def _check_input(test: Path | None, source: Path) -> None:
    runs = source.is_file() and os.access(source, os.X_OK)
    if test and test.is_file() and not os.access(test, os.X_OK) and runs:
        raise Mistake(
            f"The test {test} is not executable, but the input {source} is. Are they the wrong "
            f"way round? The test comes first: nubbin reduce {source} {test}"
        )


def check_destinations(
    sources: Sequence[Path], *, output: Path | None, in_place: bool, stats: Path | None
) -> None:
    """Raise a usage error unless the files asked for can be written where they are asked for."""
    if output is not None and in_place:
        raise click.UsageError("Give either --output or --in-place, not both.")
    folder = len(sources) > 1 or sources[0].is_dir()
    if output is not None and (problem := _problem_with(output, sources, folder=folder)):
        raise click.UsageError(f"--output {output}: {problem}")
    if stats is not None and (problem := _problem_with(stats, sources)):
        raise click.UsageError(f"--stats {stats}: {problem}")


def _problem_with(path: Path, sources: Sequence[Path], *, folder: bool = False) -> str | None:
    if path.is_dir() and not folder:
        return "that is a folder; name a file."
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}."
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} may not be written to."
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        return "that is the input itself; --in-place replaces it and keeps a copy."
    return None
