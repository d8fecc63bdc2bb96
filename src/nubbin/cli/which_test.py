"""Decide which words of a command line are the test, and which are the input."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.parameters import Gathered, as_declared
from nubbin.cli.section_command import command_line
from nubbin.cli.usage import CliError
from nubbin.option import Group, option, options_in
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.failures.conditions import Conditions
from nubbin_core.late import late

if TYPE_CHECKING:
    from nubbin.oracles.user_test import UserTest

_of_kind = late("nubbin.oracles.user_test:of_kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTest:
    """The options that replace an executable TEST."""

    line: str | None = option(
        Group.TEST,
        "The test is CMD; {} is the candidate's path. The shell runs it. Without {}, the path "
        "replaces INPUT in CMD, or comes last. The conditions below describe the failure; without "
        "conditions, nubbin learns how CMD fails on INPUT.",
        typed="--run",
        metavar="CMD",
        daily=True,
    )
    server: str | None = option(
        Group.TEST,
        "The test is CMD, a server that nubbin starts once. See docs/tests.md.",
        metavar="CMD",
    )
    python: str | None = option(
        Group.TEST,
        "The test is a Python function. nubbin imports FILE once, and forks for each call.",
        daily=True,
        metavar="FILE:FUNCTION",
        complete=late("nubbin.cli.completion:complete_file"),
    )
    interpreter: Path | None = option(
        Group.TEST,
        "With --python: the Python that calls it. Default: the active virtual environment, .venv "
        "beside FILE or above it, or nubbin's own Python.",
        unit="path",
        metavar="PYTHON",
    )
    name: str | None = option(
        Group.TEST,
        "The name of an INPUT that is a stream; its ending selects the language. Default: input.",
        metavar="NAME",
    )

    def test_and_inputs(
        self, paths: Sequence[Path], conditions: Conditions
    ) -> tuple[Callable[[], UserTest], Sequence[Path]]:
        """Return a function that makes the test, and the inputs.

        The function is called when there is a display for its errors. Raises a usage error for
        options that conflict, or if there is no input.
        """
        if error := next(self._errors(paths, conditions), None):
            raise click.UsageError(error)
        test, sources = (None, paths) if self._replacing else (paths[0], paths[1:])
        _check_inputs(test, sources, self.line)
        return partial(self._made, test, sources, conditions), sources

    @property
    def _replacing(self) -> dict[str, str]:
        """The options that replace an executable TEST, with their values."""
        tests = {"--run": self.line, "--server": self.server, "--python": self.python}
        return {name: value for name, value in tests.items() if value is not None}

    def _errors(self, paths: Sequence[Path], conditions: Conditions) -> Iterator[str]:
        """Yield what is wrong with the options and the number of the paths."""
        given = self._replacing
        if empty := [name for name, value in given.items() if not value.strip()]:
            yield f"{empty[0]} needs a value."
        if len(given) > 1:
            yield f"Give either {' or '.join(given)}, not both."
        needs_run = replace(conditions, prints=None).as_options().split()
        if self.line is None and needs_run:
            yield f"{needs_run[0]} needs --run CMD."
        if self.interpreter is not None and self.python is None:
            yield "--interpreter needs --python FILE:FUNCTION."
        if not paths:
            missing = "INPUT: what to reduce" if given else f"TEST and INPUT: {_ORDER}"
            yield f"Missing {missing}."
        elif not given and len(paths) == 1:
            yield _missing_input(paths[0])

    def _made(
        self, executable: Path | None, sources: Sequence[Path], conditions: Conditions
    ) -> UserTest:
        if executable is not None:
            given: tuple[Any, ...] = ("command", executable)
        elif self.server:
            given = ("server", self.server)
        elif self.python:
            given = ("python", self.python, self.interpreter)
        else:
            source = sources[0] if len(sources) == 1 else sources
            if self.name is not None:  # the input is a stream
                source = Path(self.name)
            given = ("run", self.line or "", conditions, source)
        made: UserTest = _of_kind(*given)
        return made.with_prints(conditions.prints)


_ORDER = "the test comes first, what to reduce second"


def _check_inputs(test: Path | None, sources: Sequence[Path], line: str | None = None) -> None:
    """Raise `CliError` if an INPUT looks like the test, or the test like a part of a command.

    With a command `line` of --run, raises a usage error. Errors in TEST or INPUT alone are found at
    their first use.
    """
    if test is not None:
        _check_command([str(test), *map(str, sources)])
    first, *rest = sources
    is_script = first.is_file() and _may_run(first) and _is_script(first)
    if line is not None and rest and is_script and first.name not in line:
        raise click.UsageError(
            f"Both --run and {first} look like the test. If {first} is the test, leave out --run: "
            f"nubbin {_command()} {quoted_word(first)} {quoted_word(rest[0])}  If {first} is also "
            "an input, name it in the command."
        )
    for source in sources:
        if test and test.is_file() and source.is_file():
            _check_order(test, source)


def _check_command(words: Sequence[str]) -> None:
    """Raise `CliError` if TEST, or the last INPUT, is a command and not a path."""
    for command, inputs in (words[:-1], words[-1:]), (words[-1:], words[:-1]):
        program = (command[0].split() or [""])[0]
        is_command = not os.path.lexists(command[0]) and shutil.which(program)
        if is_command and all(map(os.path.lexists, inputs)):
            raise CliError(
                f"{program} is a command, and not a path. Type: nubbin {_command()} "
                f"--run {quoted_word(command_line(command))} {shlex.join(inputs)}"
            )


def _check_order(test: Path, source: Path) -> None:
    """Raise `CliError` if the test looks like data, and the input may be the program."""
    forgotten = _is_script(test) and not _may_run(source)
    if forgotten or (_may_run(test) and (_is_program(test) or not _is_script(source))):
        return  # if the test cannot run, its first run says why
    if not (_may_run(test) or _may_run(source) or _is_script(source)):
        run = f"{runner} {test}" if (runner := _RUNNERS.get(test.suffix)) else "CMD"
        raise CliError(
            f"The test {test} is not executable. Give the command that fails on {source}: "
            f"nubbin {_command()} --run {quoted_word(run)} {quoted_word(source)}"
        )
    if _may_run(test):
        problem = f"The test {test} has no #! line, but the input {source} has one."
        fix = "begin the test with such a line (#!/bin/sh)"
    else:
        is_what = "is" if _may_run(source) else "is a script"
        problem = f"The test {test} is not executable, but the input {source} {is_what}."
        fix = f"give the command that runs it (--run 'CMD {test}')"
    allow = "" if _may_run(source) else f"chmod +x {quoted_word(source)}; "
    raise CliError(
        f"{problem} If you swapped them, put the test first: "
        f"{allow}nubbin {_command()} {quoted_word(source)} {quoted_word(test)}\nOtherwise, {fix}."
    )


#: The program that runs a script without a #! line, by its suffix.
_RUNNERS = {".js": "node", ".pl": "perl", ".py": "python3", ".rb": "ruby", ".sh": "sh"}


def _command() -> str | None:
    return click.get_current_context().info_name


def _may_run(path: Path) -> bool:
    return os.access(path, os.X_OK)


def _is_script(path: Path) -> bool:
    return _head(path).startswith(b"#!")


def _is_program(path: Path) -> bool:
    head = _head(path)
    return not head or head.startswith(b"#!") or b"\0" in head


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(512)
    except PermissionError:
        return b""


def _missing_input(test: Path) -> str:
    text = f"Missing INPUT: {_ORDER}."
    if test.exists() and not _may_run(test):
        text += (
            f" If {test} is what to reduce, give the command that fails on it: nubbin {_command()} "
            f"--run CMD {quoted_word(test)}"
        )
    return text


#: Other forms of the arguments of commands with `test_options`, besides TEST INPUT...
FORMS = ("--run CMD INPUT...", "INPUT... -- CMD...")

test_options = Gathered("given", GivenTest)

condition_options = Gathered("conditions", Conditions)

#: The condition that every kind of test may have.
prints_option = as_declared(options_in(Conditions)["prints"])
