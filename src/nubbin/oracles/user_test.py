"""The user's test, of any kind, made from the caller's argument or from a journal."""

from __future__ import annotations

import inspect
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

import msgspec
from msgspec import Meta

from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.failures.conditions import UNCONDITIONAL, Command, Conditions
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.late import named

_Word = Annotated[str, Meta(pattern=r"^[^\x00]+$")]
_MAX_SCRIPT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class UserTest(ABC):
    """A test, however it is run: `ServerTest.of` and `PythonTest.of` make two kinds of it.

    `words` are an executable and its arguments, or the file and the name of a function.
    `folder` is the folder that the user was in: relative paths in `words` start there. If an
    accepted candidate does not meet the `conditions`, it has a different failure. Only a command
    line has others than `prints`; without any, the test itself decides.
    """

    words: Annotated[tuple[_Word, ...], Meta(min_length=1)]
    folder: _Word
    conditions: Conditions = field(default=UNCONDITIONAL, kw_only=True)

    #: What the journal calls this kind of test.
    kind: ClassVar[str]
    #: Seconds that the start of the test may take before its first answer, beside its limit.
    start_limit: ClassVar[float] = 0.0
    #: Whether a query may have to wait until a server has started.
    has_server: ClassVar[bool] = True
    #: Whether `path` is a file of the user's own.
    has_own_file: ClassVar[bool] = False
    #: Whether it is a command line, of which only conditions say when the input is interesting.
    is_line: ClassVar[bool] = False
    #: Whether the result is a reproduction, for people to read.
    is_of_project: ClassVar[bool] = False
    _contract: ClassVar[str]

    def __str__(self) -> str:
        """Return the test as the user gave it."""
        return self.words[0]

    def contract(self, contents: str, argument: str) -> str:
        """Return a text that says how the test is called, and what it must answer.

        `contents` describes the files in its folder, `argument` its last argument.
        """
        return self._contract.format(contents=contents, argument=argument)

    @abstractmethod
    def runner(self, folders: QueryFolders) -> Runner:
        """Return the runner of the test for an oracle with these folders."""

    @property
    def path(self) -> Path:
        """The file to look at if something is wrong with the test."""
        return Path(self.words[0])

    @property
    def runs_in(self) -> str | None:
        """The path of the Python that the test runs in; None if that is no choice of the user's."""
        return None

    @property
    def prints_its_failure(self) -> bool:
        """Whether the output for an interesting input shows a failure, if it shows anything."""
        return self.conditions.hangs is None and self.conditions.differs is None

    @property
    def printing(self) -> str:
        """The regular expression for what an interesting input must print; "" if it need not."""
        return self.conditions.prints or self.conditions.stderr or self.conditions.stdout or ""

    @property
    def looking_for(self) -> str:
        """The behaviour of an interesting input, for a person: an exit status, or options."""
        return f"exit status 0 of the test {self.conditions.told}".rstrip()

    def with_conditions(self, conditions: Conditions) -> Self:
        """Return the test with other conditions."""
        return replace(self, conditions=conditions)

    def with_prints(self, regex: str | None) -> Self:
        """Return the test with another condition `prints`; the same test without a `regex`."""
        if regex is None:
            return self
        return self.with_conditions(replace(self.conditions, prints=regex))

    @property
    def with_other_errors(self) -> Self:
        """The test without the condition that a reduction may drop, if it has that."""
        return self.with_conditions(replace(self.conditions, known_errors=None))

    @property
    def as_options(self) -> str | None:
        """The options that give the test to a command in its folder, quoted; None without any."""
        return f"{self._as_option} {self.conditions.as_options()}".rstrip()

    @property
    def _as_option(self) -> str:
        """The same without the conditions."""
        return f"--{self.kind} {quoted_word(str(self))}"

    @property
    def in_full(self) -> str:
        """The test as the user gave it, with everything that its answer depends on."""
        where = "" if self.runs_in is None else f" in {self.runs_in}"
        return f"{self}{where} {self.conditions.told}".rstrip()

    @property
    def scripts(self) -> dict[str, str]:
        """The text of each script among the words, by its path; binary files are left out."""
        texts = {}
        for word in self.words:
            path = Path(self.folder, word)
            with suppress(OSError):
                if path.is_file() and path.stat().st_size <= _MAX_SCRIPT_BYTES:
                    data = path.read_bytes()
                    if b"\0" not in data:
                        texts[word] = os.fsdecode(data)
        return texts

    def script_lines(self) -> Iterator[tuple[str, int, str]]:
        """Yield each line of the scripts but comments: the path, the number, the text."""
        for script, text in self.scripts.items():
            for number, line in enumerate(text.splitlines(), 1):
                if not line.lstrip().startswith("#"):
                    yield script, number, line

    @property
    def text(self) -> str:
        """Everything that a person wrote of the test: its command lines, and its scripts."""
        return "\n".join((self.in_full, *self.scripts.values()))

    def line_for(self, result: Path, name: str) -> str | None:
        """Return a command line that shows the failure of a result; None if there is none.

        `name` is the name of the input, which the test may look for.
        """
        return None

    @property
    def programs(self) -> tuple[str, ...]:
        """All words that may be paths of files that the test needs."""
        return self.words

    def digest(self) -> str:
        """Return a fingerprint of the test and the files that it names.

        If it changes, the test has changed. Raises OSError if a file cannot be read.
        """
        total = blake2b(digest_size=16)
        values = self.to_json()
        if not self.is_line:
            values.pop("conditions", None)  # earlier versions recorded them elsewhere
        total.update(json.dumps(values).encode())
        for word in self.programs:
            file = Path(self.folder, word)
            if os.path.isfile(file):  # a word may be too long for a path
                total.update(blake2b(file.read_bytes()).digest())
        return total.hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the test as JSON values."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["conditions"] = self.conditions.to_json()
        if not (self.is_line or self.conditions):
            del values["conditions"]
        return {"kind": self.kind, **values}


#: Every kind of test, by the word that a journal has for it: its module, below this package.
KINDS: Final = {
    "blame": "commands.project_test:BlameTest",
    "command": "commands.command_test:CommandTest",
    "function": "servers.python_test:FunctionTest",
    "project": "commands.project_test:ProjectTest",
    "pytest": "servers.python_test:PytestTest",
    "python": "servers.python_test:PythonTest",
    "run": "commands.run_test:RunTest",
    "server": "servers.server_pool:ServerTest",
}

#: What a caller of the library may give as a test.
Given = UserTest | Command | StrPath | Callable[[Path], bool | None]


def of_kind(word: str, *given: Any) -> UserTest:
    """Return the test that a kind makes of what is `given`; see `of` of its class."""
    made: UserTest = named(f"nubbin.oracles.{KINDS[word]}").of(*given)
    return made


def test_of(
    given: Given, source: Path | Sequence[Path] | None = None, prints: str | None = None
) -> UserTest:
    """Return the test for an executable, a command or a function, with a condition `prints`.

    `source` is the input, or several, whose names may be words of a command. Raises NubbinError if
    the test cannot be run, and TypeError for any other object.
    """
    if isinstance(given, Command):
        conditions = Conditions.from_json(given.to_json())
        if prints is not None:
            conditions = replace(conditions, prints=prints)
        return of_kind("run", given.run, conditions, source)
    test = given if isinstance(given, UserTest) else _decides(given)
    return test.with_prints(prints)


def _decides(given: StrPath | Callable[[Path], bool | None]) -> UserTest:
    """Return the test for an executable or a function, which decides alone."""
    if isinstance(given, str | os.PathLike):
        return of_kind("command", given)
    from nubbin.oracles.servers import fork_server  # noqa: PLC0415

    if fork_server.is_importing:
        raise NubbinError(
            "nubbin imports this file to call the test. Put its own calls of nubbin under `if "
            '__name__ == "__main__":`'
        )
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
