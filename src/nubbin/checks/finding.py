"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: `fine`; `doubt`, which a person should look at; or `problem`: the test cannot be trusted.
Level = Literal["fine", "doubt", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check, by its name, finds out about a test: a paragraph that says what to do."""

    check: str
    level: Level
    text: str
