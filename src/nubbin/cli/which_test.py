"""Which of its words are the test, on a command line, and which the input?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.parameters import RUN_SECTION, option
from nubbin.cli.units import duration
from nubbin.cli.usage import check_inputs

if TYPE_CHECKING:
    from nubbin.oracles.user_test import UserTest


def which_test(
    paths: Sequence[Path],
    *,
    line: str | None,
    server: str | None,
    python: str | None,
    interpreter: Path | None,
    conditions: dict[str, Any],
    name: str | None,
) -> tuple[Callable[[], UserTest], Sequence[Path]]:
    """Return what makes the test, once there is a display for its errors, and the inputs.

    Raises a usage error for options that do not go together, or if there is no input.
    """
    options = {"--run": line, "--server": server, "--python": python}
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise click.UsageError(f"Give either {' or '.join(given)}, not both.")
    asked = [name for name, value in conditions.items() if value]
    if asked and line is None:
        flag = f"--{asked[0].replace('_', '-')}"
        raise click.UsageError(f"{flag} needs --run CMD.")
    if interpreter is not None and python is None:
        raise click.UsageError("--interpreter needs --python FILE:FUNCTION.")
    test, sources = (None, paths) if given else (paths[0], paths[1:])
    if not sources:
        raise click.UsageError("Missing INPUT: the test comes first, what to reduce second.")
    check_inputs(test, sources)

    def make() -> UserTest:
        # Here, so that help need not wait for them.
        from nubbin.oracles.commands.command_test import CommandTest  # noqa: PLC0415
        from nubbin.oracles.commands.run_test import RunTest  # noqa: PLC0415
        from nubbin.oracles.failures.conditions import Conditions  # noqa: PLC0415
        from nubbin.oracles.servers.python_test import PythonTest  # noqa: PLC0415
        from nubbin.oracles.servers.server_test import ServerTest  # noqa: PLC0415

        if line:
            source = sources[0] if len(sources) == 1 else None
            if name is not None:  # the input is a stream
                source = Path(name)
            return RunTest.of(line, Conditions(**conditions), source)
        if server:
            return ServerTest.of(server)
        if python:
            return PythonTest.of(python, interpreter)
        return CommandTest.of(paths[0])

    return make, sources


_Command = Callable[..., None]

#: The name of each condition, its metavar and its help.
_DECLARED = {
    "exits": ("HOW", "Exits with HOW: 1, nonzero, signal, SIGSEGV."),
    "prints": ("REGEX", "Prints a match of REGEX."),
    "stdout": ("REGEX", "The same of its standard output alone."),
    "stderr": ("REGEX", "The same of its standard error alone."),
    "no_prints": ("REGEX", "Prints no match of REGEX."),
    "no_stdout": ("REGEX", "The same of its standard output alone."),
    "no_stderr": ("REGEX", "The same of its standard error alone."),
    "hangs": ("TIME", "Still runs after TIME (5, 0.5, 2m)."),
    "differs": ("CMD", "Has another output or status than CMD."),
    "valid": ("CMD", "CMD exits with 0; may be repeated."),
}
_OF_ONE_STREAM = frozenset({"stdout", "stderr", "no_stdout", "no_stderr"})
_KINDS: dict[str, dict[str, Any]] = {"hangs": {"type": duration}, "valid": {"multiple": True}}

#: The names of all conditions.
CONDITIONS = tuple(_DECLARED)


def condition_options(command: _Command) -> _Command:
    """Declare an option for each field of `nubbin.oracles.failures.conditions.Conditions`."""
    for name, (metavar, text) in reversed(_DECLARED.items()):
        daily = name not in _OF_ONE_STREAM
        rest = {"metavar": metavar, "help": text, "daily": daily, **_KINDS.get(name, {})}
        command = option(RUN_SECTION, f"--{name.replace('_', '-')}", name, **rest)(command)
    return command
