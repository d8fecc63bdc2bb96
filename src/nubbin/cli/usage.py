"""Explain wrong uses of the command line in one paragraph, or as a line of JSON.

That includes names that people type out of habit: those of other reducers and of earlier versions.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from resource import RLIMIT_NOFILE, getrlimit
from typing import IO, Any

import click

from nubbin.text.figures import folded, utf8, visible
from nubbin_core.late import late

JSON = "--json"

#: The exit code of an interrupted command.
INTERRUPTED = 128 + signal.SIGINT

#: The files that most systems let a process open at once.
_FILES = 1024

#: The widths of a folded message.
_MIN_COLUMNS, _MAX_COLUMNS = 40, 88

_line = late("nubbin.report.json_lines:line")


class CliError(click.ClickException):
    """The test or the input is wrong: one paragraph on stderr, exit code 1."""

    exit_code = 1

    def __init__(self, message: str):
        super().__init__(visible(message))

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the paragraph, folded to the width of a terminal."""
        stream = file or sys.stderr
        text = f"nubbin: {self.message}"
        if stream.isatty():
            columns = os.get_terminal_size(stream.fileno()).columns or _MAX_COLUMNS
            text = folded(text, max(_MIN_COLUMNS, min(columns, _MAX_COLUMNS)))
        click.echo(text, file=stream)


class Interrupted(CliError):
    """Ctrl-C or a similar signal ended a command; a `message` says what was written until then."""

    exit_code = INTERRUPTED

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message, unless it is empty."""
        if self.message:
            super().show(file)

    def format_message(self) -> str:
        """Return the message, which a line of JSON always has."""
        return self.message or "interrupted"


def what_is_lacking(error: BaseException | None) -> str | None:
    """Return what the system lacks for this error or its cause, and a fix; None if nothing."""
    if error is None:
        return None
    if isinstance(error, MemoryError):
        return (
            "nubbin needs more memory than it may have. Allow it more (ulimit -v), or reduce a "
            "smaller input: a part of it, or a folder without its largest files."
        )
    if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
        more = 4 * max(getrlimit(RLIMIT_NOFILE)[0], _FILES)
        return f"The system lets nubbin open no more files at once. Allow more: ulimit -n {more}"
    if isinstance(error, OSError) and error.filename == os.devnull:
        return (
            f"{os.devnull} cannot be opened ({error.strerror}), and each test needs it. Make it, "
            f"as root: mknod -m 666 {os.devnull} c 1 3. A container or a chroot needs its own."
        )
    return what_is_lacking(error.__cause__)


def show_error(error: click.ClickException, *, as_json: bool) -> None:
    """Write an error to standard error, or as a line of JSON to standard output."""
    if not as_json:
        error.show()
        return
    values = {"exit_code": error.exit_code, "message": utf8(error.format_message())}
    sys.stdout.write(_line("error", values))


#: Names of other reducers, and what to type for them. docs/migrating.md explains each.
_OTHERS = {
    "C-Vise": {
        "--n": "--jobs",
        "-c": "--run CMD --exits 0",
        "--commands": "--run CMD --exits 0",
        "--remove-pass": "--without",
        "--skip-after-n-transforms": "--max-queries",
        "--pass-group": "--format",
        "--clang-delta-preserve-routine": "--keep",
        "--debug": "--verbose",
    },
    "Shrink Ray": {
        "--parallelism": "--jobs",
        "--memory-limit": "--memory",
        "--formatter": "--pretty",
        "--volume": "--quiet or --verbose",
    },
    "Lithium": {
        "--lines": "--smallest lines",
        "--char": "--smallest chars",
        "--strategy": "--algorithm",
        "--max-run-time": "--max-time",
    },
    "Picire": {
        "--atom": "--smallest",
        "--parallel": "--jobs",
        "--out": "--output",
        "--input": "INPUT",
        "--test": "TEST",
    },
    "an earlier nubbin": {
        "--minimality": "--smallest",
        "--proposer": "--pass FILE.py:NAME, a function that yields edits",
        "--signature": "--prints",
        "history": "log last",
        "restore": "show",
        "runs": "log",
    },
}
#: The other reducer, and what to type, by the name of the option or command.
OTHERS = {name: (tool, now) for tool, names in _OTHERS.items() for name, now in names.items()}


def hint(error: click.UsageError, name: str) -> click.UsageError:
    """Return the error for an unknown name; if another reducer has it, with what to type."""
    if name not in OTHERS:
        return error
    tool, now = OTHERS[name]
    kind = "an option" if name.startswith("-") else "a command"
    return click.UsageError(f"{name} is {kind} of {tool}; here, type {now}.", error.ctx)
