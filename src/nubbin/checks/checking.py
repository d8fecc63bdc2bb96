"""What there is to tell of a check while it is under way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Checking:
    """The test is run, to check it, for the `run`-th time; earlier runs may not have ended yet.

    Each of these runs is stopped after `limit` seconds (None: never). `took` is how long the
    slowest run so far took that found the input interesting; None before the first.
    """

    run: int
    limit: float | None
    took: float | None
