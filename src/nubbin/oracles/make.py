"""Make a test of any kind from the caller's argument, or from a journal."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from nubbin.oracles.failures.conditions import Command, Conditions
from nubbin.oracles.user_test import UserTest
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.late import named

#: Every kind of test, by the word that a journal has for it: its module, below this package.
KINDS: Final = {
    "blame": "commands.blame_test:BlameTest",
    "command": "commands.command_test:CommandTest",
    "function": "servers.python_test:FunctionTest",
    "project": "commands.project_test:ProjectTest",
    "pytest": "servers.pytest_test:PytestTest",
    "python": "servers.python_test:PythonTest",
    "run": "commands.run_test:RunTest",
    "server": "servers.server_test:ServerTest",
}

#: What a caller of the library may give as a test.
Given = UserTest | Command | StrPath | Callable[[Path], bool | None]


def of_kind(word: str, *given: Any) -> UserTest:
    """Return the test that a kind makes of what is `given`; see `of` of its class."""
    made: UserTest = named(f"nubbin.oracles.{KINDS[word]}").of(*given)
    return made


def test_of(given: Given, source: Path | Sequence[Path] | None = None) -> UserTest:
    """Return the test for an executable, a command or a function.

    `source` is the input, or several, whose names may be words of a command. Raises NubbinError if
    the test cannot be run, and TypeError for any other object.
    """
    if isinstance(given, UserTest):
        return given
    if isinstance(given, Command):
        return of_kind("run", given.run, Conditions.from_json(given.to_json()), source)
    if isinstance(given, str | os.PathLike):
        return of_kind("command", given)
    from nubbin.oracles.servers import fork_server  # noqa: PLC0415

    if fork_server.is_importing:
        raise NubbinError('Calls of nubbin go under if __name__ == "__main__".')
    if not callable(given):
        raise TypeError(f"test is an executable, a command or a function, not {given!r}")
    name = getattr(given, "__qualname__", type(given).__name__)
    file = inspect.getsourcefile(given) if inspect.isfunction(given) else None
    if file is not None and Path(file).is_file() and name.isidentifier():
        return of_kind("python", f"{file}:{name}", sys.executable)
    return of_kind("function", given, name)


def from_json(values: dict[str, Any]) -> UserTest:
    """Return the test from the values that `to_json` returned.

    Raises ValueError, msgspec.ValidationError or OptionError for other values.
    """
    home = KINDS.get(values.get("kind", ""))
    if home is None:
        raise ValueError(f"there is no kind of test {values.get('kind')!r}")
    kind: type[UserTest] = named(f"nubbin.oracles.{home}")
    return msgspec.convert({**values, "kind": None}, kind)
