"""What a recorded run did, for those who look: it may be under way meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nubbin.journal import tables
from nubbin.oracles.errors import WrongTest


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted candidate: after how many queries of the run, and by which pass it was found.

    The first is the original, found by none. Sizes are in bytes.
    """

    number: int
    queries: int
    step: str
    bytes: int


@dataclass(frozen=True, slots=True)
class History:
    """What was told of a run, and every candidate that it accepted."""

    about: dict[str, Any]
    accepted: tuple[Accepted, ...]

    @classmethod
    def of(cls, run: Path) -> History:
        """Read the history of a run; raises WrongTest where it cannot be read, or never began."""
        with _reading(run) as store:
            rows = store.execute(
                "SELECT number, queries, pass, bytes FROM accepted ORDER BY number"
            )
            history = cls(tables.about(store), tuple(Accepted(*row) for row in rows))
        if not history.accepted:
            raise WrongTest(f"The run in {run} ended before it began: there is nothing of it.")
        return history


def candidate(run: Path, number: int | None) -> dict[str, bytes]:
    """Return the files of an accepted candidate, by default the best.

    Linear in those up to it. Raises WrongTest where there is none of that number.
    """
    found: dict[str, bytes] | None = None
    with _reading(run) as store:
        for each, files in tables.candidates(store):
            if number in (None, each):
                found = files
            if number == each:
                break
    if found is None:
        raise WrongTest(
            f"The run in {run} has no candidate {'' if number is None else number}: "
            f"`nubbin history {run}` lists those it accepted."
        )
    return found


@contextmanager
def _reading(run: Path) -> Iterator[sqlite3.Connection]:
    place = tables.place_of(run)
    try:
        with tables.looking_at(place) as store:
            tables.check(store, run)
            yield store
    except sqlite3.DatabaseError as error:
        raise WrongTest(f"The journal in {run} cannot be read: {error}.") from error
