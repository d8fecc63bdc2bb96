"""What went wrong, in words for the person who can correct it."""

from __future__ import annotations


class NubbinError(Exception):
    """The base of all errors of nubbin; the message is a paragraph that says what to do."""


class OptionError(NubbinError):
    """An option is wrong, or does not go with another one or with the input."""
