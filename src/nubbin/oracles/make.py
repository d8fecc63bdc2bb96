"""Make a test of any kind from the caller's argument, or from a journal."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from nubbin.oracles.commands.blame_test import BlameTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Command, Conditions
from nubbin.oracles.servers import zygote
from nubbin.oracles.servers.function_test import FunctionTest
from nubbin.oracles.servers.pytest_test import PytestTest
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError

#: Every kind of test.
KINDS: Final[tuple[type[UserTest], ...]] = (
    BlameTest,
    CommandTest,
    FunctionTest,
    ProjectTest,
    PytestTest,
    PythonTest,
    RunTest,
    ServerTest,
)

#: What a caller of the library may give as a test.
Given = UserTest | Command | StrPath | Callable[[Path], bool | None]


def test_of(given: Given, source: Path | Sequence[Path] | None = None) -> UserTest:
    """Return the test for an executable, a command or a function.

    `source` is the input, or several, whose names may be words of a command. Raises NubbinError if
    the test cannot be run, and TypeError for any other object.
    """
    if isinstance(given, UserTest):
        return given
    if isinstance(given, Command):
        return RunTest.of(given.run, Conditions.from_json(given.to_json()), source)
    if isinstance(given, str | os.PathLike):
        return CommandTest.of(given)
    if zygote.is_importing:
        raise NubbinError('Calls of nubbin go under if __name__ == "__main__".')
    if not callable(given):
        raise TypeError(f"test is an executable, a command or a function, not {given!r}")
    name = getattr(given, "__qualname__", type(given).__name__)
    file = inspect.getsourcefile(given) if inspect.isfunction(given) else None
    if file is not None and Path(file).is_file() and name.isidentifier():
        return PythonTest.of(f"{file}:{name}", sys.executable)
    return FunctionTest.of(given, name)


def from_json(values: dict[str, Any]) -> UserTest:
    """Return the test from the values that `to_json` returned.

    Raises ValueError, msgspec.ValidationError or OptionError for other values.
    """
    for kind in KINDS:
        if kind.kind == values.get("kind"):
            return msgspec.convert({**values, "kind": None}, kind)
    raise ValueError(f"there is no kind of test {values.get('kind')!r}")
