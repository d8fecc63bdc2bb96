"""What went wrong, in words for the person who can mend it."""

from __future__ import annotations

from pathlib import Path


class NubbinError(Exception):
    """The base of all errors of nubbin; the message is a paragraph that says what to do."""


class OptionError(NubbinError):
    """An option is wrong, or does not go with another one or with the input."""


class UnusableTest(NubbinError):
    """The test cannot be run at all; `test` is its file."""

    def __init__(self, test: Path, message: str):
        super().__init__(message)
        self.test = test

    def __reduce__(self) -> tuple[type[UnusableTest], tuple[Path, str]]:
        """Exceptions pickle what their base class was given, which is not enough here."""
        return type(self), (self.test, str(self))
