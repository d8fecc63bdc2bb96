"""`nubbin.Command`: a command line as a test."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.oracles.failures.conditions import Conditions


@dataclass(frozen=True, kw_only=True)
class Command(Conditions):
    """A command line that the shell runs for each candidate, and what counts as its misbehaviour.

    In `run`, the path of the candidate takes the place of `{}`, of the name of the input, or stands
    at the end. All conditions that are given must hold; `valid` alone does not say when the command
    misbehaves, and then `nubbin.reduce` learns that, as `nubbin.learn` does. Raises OptionError for
    values that conditions cannot have.
    """

    run: str
