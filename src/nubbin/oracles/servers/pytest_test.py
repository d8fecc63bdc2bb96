"""A test of pytest suites: one test must pass, or fail, after some of the others."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nubbin.oracles.servers.python_test import PythonTest

#: The program that runs in the suite's own Python.
ONE_TEST = Path(__file__).with_name("one_test.py")
#: The most tests that a command line names. More are listed in a file.
_MAX_NAMED = 50


def as_lines(tests: Sequence[str]) -> bytes:
    """Return the ids of tests, one on a line, in the format of `one_test.ids`."""
    text = "".join(test.replace("\n", "\0") + "\n" for test in tests)
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class PytestTest(PythonTest):
    """A list of tests is interesting if another test has a given outcome after them.

    `words` are `one_test.came_to` and its arguments: the folder of the suite, the outcome, the id
    of the one test, options of pytest, and `files` or folders that pytest collects.
    """

    files: tuple[str, ...] = ()

    kind = "pytest"
    has_own_file = False
    as_options = None  # the tests are in no file
    _contract = "The tests of {contents} are run before the one in question."

    @staticmethod
    def of_suite(
        folder: Path,
        one: str,
        options: Sequence[str],
        interpreter: str | None,
        files: Sequence[str] = (),
    ) -> PytestTest:
        """Return the test that checks whether one test of the suite fails."""
        words = (str(ONE_TEST), "came_to", str(folder), "failed", one, *options, *files)
        return PytestTest(words, str(folder), interpreter, files=tuple(files))

    @property
    def one(self) -> str:
        """The id of the one test."""
        return self.words[4]

    @property
    def fails(self) -> bool:
        """Whether the one test must fail."""
        return self.words[3] == "failed"

    def passing(self) -> PytestTest:
        """Return the test that checks whether the one test passes."""
        return replace(self, words=(*self.words[:3], "passed", *self.words[4:]))

    def __str__(self) -> str:
        return f"pytest {self.one}"

    @property
    def prints_its_failure(self) -> bool:
        return self.fails

    def line_for(self, result: Path, name: str) -> str:
        tests = result.read_bytes().split(b"\n")[:-1]
        named = [_as_word(os.fsdecode(test).replace("\0", "\n")) for test in tests]
        if len(tests) > _MAX_NAMED:
            named = [f"@{result}"]
        options = self.words[5 : len(self.words) - len(self.files)]
        python = self.interpreter or sys.executable
        return shlex.join([python, "-m", "pytest", *options, *named, _as_word(self.one)])


def _as_word(test: str) -> str:
    """Return an id as a word that pytest takes neither for an option nor for a file of them."""
    return f"./{test}" if test.startswith(("-", "@")) else test
