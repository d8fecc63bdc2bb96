"""What the user gave as a test: a command, a server, or a Python function."""

from __future__ import annotations

import inspect
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.executable import locate


@dataclass(frozen=True, slots=True)
class UserTest:
    """A test, however it is run; made by `command`, `server`, `python` or `of`.

    `words` are an executable and its arguments, or the file and the name of a function;
    `folder` is where the user stood, to whom relative paths in them mean something.
    """

    kind: str
    words: tuple[str, ...]
    folder: str

    @classmethod
    def command(cls, test: StrPath) -> UserTest:
        """Return a test that is run once per query; raises UnusableTest for one that cannot be."""
        return cls("command", (str(locate(Path(test))),), str(Path.cwd()))

    @classmethod
    def server(cls, line: str) -> UserTest:
        """Return a test that is started by a command line and then answers many queries.

        Raises UnusableTest where there is no such program.
        """
        try:
            program, *arguments = shlex.split(line)
        except ValueError as error:
            raise NubbinError(f"The server {line!r} is no command: {error}.") from None
        found = shutil.which(program)
        if found is None:
            raise NubbinError(
                f"There is no program {program!r} to start as a server. Give the command line of "
                "one, with the path of the program if it is not on the PATH.",
            )
        return cls("server", (str(locate(Path(found))), *arguments), str(Path.cwd()))

    @classmethod
    def python(cls, name: str) -> UserTest:
        """Return the test that FILE:FUNCTION names; raises UnusableTest if there is none."""
        file, _, function = name.rpartition(":")
        path = Path(file).absolute()
        if not function.isidentifier() or not path.is_file():
            raise NubbinError(
                f"There is no Python function {name!r}. Give the path of a file and the name of a "
                "function in it, as in check.py:crashes.",
            )
        return cls("python", (str(path), function), str(Path.cwd()))

    @classmethod
    def of(cls, test: UserTest | StrPath | Callable[[Path], bool | None]) -> UserTest:
        """Return the test that a path of an executable, or a function at the top of a file, is.

        Raises UnusableTest for what cannot be run, and for functions that have no such place.
        """
        if isinstance(test, UserTest):
            return test
        if isinstance(test, str | os.PathLike):
            return cls.command(test)
        name = getattr(test, "__qualname__", repr(test))
        file = inspect.getsourcefile(test) if inspect.isfunction(test) else None
        if file is None or not Path(file).is_file() or not name.isidentifier():
            raise NubbinError(
                f"The function {name} cannot be called by other processes, for it is not at the "
                "top of a file: nothing is that was made by lambda, in a function, at a prompt or "
                "in a notebook. Put it there, by `def`; what else that file does goes under "
                'if __name__ == "__main__".',
            )
        return cls.python(f"{file}:{name}")

    def __str__(self) -> str:
        if self.kind == "python":
            return ":".join(self.words)
        return self.words[0] if self.kind == "command" else shlex.join(self.words)

    def contract(self, contents: str, argument: str) -> str:
        """Return how the test is called, and what it must answer.

        `contents` tells what the folder holds that it runs in, `argument` what its last one is.
        """
        if self.kind == "server":
            return (
                "The server must answer each path that it reads from its standard input, at once, "
                "with one line, and flush it: interesting, as long as the input misbehaves, "
                "uninteresting, or unresolved if it cannot say."
            )
        if self.kind == "python":
            return (
                "The function must return True as long as the input misbehaves, False when it no "
                "longer does, and None if it cannot say. It is called with the path of the "
                f"candidate, in an empty folder that holds nothing but {contents}."
            )
        return (
            "The test must exit with status 0 as long as the input misbehaves, and with another "
            "status when it no longer does. It is run in an empty folder that holds nothing but "
            f"{contents}{argument}. A test that needs other files must name them by absolute paths."
        )

    @property
    def place(self) -> Path:
        """The file to look at when something is wrong with the test."""
        return Path(self.words[0])

    def digest(self) -> str:
        """Return a fingerprint of the files that are named; raises OSError if one is unreadable.

        A test whose fingerprint has changed is another test.
        """
        total = blake2b(digest_size=16)
        for word in self.words:
            file = Path(self.folder, word)
            total.update(os.fsencode(word) + b"\0")
            if file.is_file():
                total.update(blake2b(file.read_bytes()).digest())
        return total.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the test as JSON values, of which `UserTest(**values)` makes it again."""
        return {"kind": self.kind, "words": list(self.words), "folder": self.folder}
