"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: `fine`; `doubt`: a person should look at it; or `problem`: the test cannot be trusted.
Level = Literal["fine", "doubt", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about a test that a check has found: a paragraph that says what to do."""

    check: str
    level: Level
    text: str
