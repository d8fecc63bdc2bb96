"""Errors whose messages tell a person what happened and what to do."""

from __future__ import annotations


class NubbinError(Exception):
    """The base of all errors of nubbin; the message is a paragraph that says what to do."""


class OptionError(NubbinError):
    """An option is wrong, or cannot be combined with another option or with the input."""
