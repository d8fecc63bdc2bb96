"""What is wrong with a test or an input, in words for the person who wrote it."""

from __future__ import annotations

from pathlib import Path


class WrongTest(Exception):
    """The test or the input is wrong; the message is a paragraph that says what to do."""


class WrongOption(WrongTest):
    """An option is wrong, or does not go with another one or with the input."""


class BadTest(WrongTest):
    """The test cannot be run at all."""

    def __init__(self, test: Path, message: str):
        super().__init__(message)
        self.test = test

    def __reduce__(self) -> tuple[type[BadTest], tuple[Path, str]]:
        """Exceptions pickle what their base class was given, which is not enough here."""
        return type(self), (self.test, str(self))


class NoSuchTest(BadTest):
    """There is no file where the test should be."""


class NotAFile(BadTest):
    """The test is a folder, a device or the like, not a file."""


class NotExecutable(BadTest):
    """The test may not be executed: its mode, or the file system it lies on, forbids it."""


class BadInterpreter(BadTest):
    """The interpreter that the first line of the test names cannot be run."""


class NoSandbox(BadTest):
    """This system has no sandbox to run the test in."""


class NotAProgram(BadTest):
    """The operating system does not know how to run the test: no `#!` line, no binary for it."""
