"""Makes tests of all kinds: of what a caller gives, and of what a journal has."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from nubbin.errors import NubbinError
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Command, Conditions
from nubbin.oracles.isolation.candidate_files import StrPath
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest

#: Every kind of test.
KINDS: Final[tuple[type[UserTest], ...]] = (CommandTest, PythonTest, RunTest, ServerTest)

#: What a caller of the library may give as a test.
Given = UserTest | Command | StrPath | Callable[[Path], bool | None]


def test_of(given: Given, source: Path | None = None) -> UserTest:
    """Return the test that an executable, a command or a function at the top of a file is.

    `source` is the input, whose name may stand in a command. Raises NubbinError if it cannot be
    run, and for any other function.
    """
    if isinstance(given, UserTest):
        return given
    if isinstance(given, Command):
        return RunTest.of(given.run, Conditions.from_json(given.to_json()), source)
    if isinstance(given, str | os.PathLike):
        return CommandTest.of(given)
    name = getattr(given, "__qualname__", repr(given))
    file = inspect.getsourcefile(given) if inspect.isfunction(given) else None
    if file is None or not Path(file).is_file() or not name.isidentifier():
        raise NubbinError(
            f"The function {name} cannot be called by other processes, for it is not at the "
            "top of a file: nothing is that was made by lambda, in a function, at a prompt or "
            "in a notebook. Put it there, by `def`; what else that file does goes under "
            'if __name__ == "__main__".'
        )
    return PythonTest.of(f"{file}:{name}", sys.executable)


def from_json(values: dict[str, Any]) -> UserTest:
    """Return the test whose `to_json` gave these values.

    Raises ValueError, msgspec.ValidationError or OptionError for any others.
    """
    for kind in KINDS:
        if kind.kind == values.get("kind"):
            return msgspec.convert({**values, "kind": None}, kind)
    raise ValueError(f"there is no kind of test {values.get('kind')!r}")
