"""Count the runs of the test in a recorded run, and how long they took."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from nubbin.journal.values import MAX_TIME_S

#: Makes a number that can be shown of any value in a damaged row.
_SECONDS = "min(CAST(seconds AS REAL), ?)"
_MAX_RUNS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RunFigures:
    """How often the test was run, and on how many candidates; times are in seconds.

    Includes speculative runs, which no query needed.
    """

    runs: int = 0
    candidates: int = 0
    timed_out: int = 0
    unresolved: int = 0
    median: float = 0.0
    longest: float = 0.0


def run_figures(store: sqlite3.Connection) -> RunFigures:
    """Return the figures, without checking the seals of the rows.

    Takes a tenth of a second for 100,000 candidates. Raises sqlite3.Error.
    """
    row = store.execute(
        "SELECT total(min(CAST(runs AS INTEGER), ?)), count(seal), total(timed_out <> 0), "
        f"total(verdict = 'unresolved'), max({_SECONDS}) FROM verdicts",
        (_MAX_RUNS, MAX_TIME_S),
    ).fetchone()
    runs, candidates, timed_out, unresolved = map(int, row[:4])
    middle = store.execute(
        f"SELECT {_SECONDS} AS s FROM verdicts ORDER BY s LIMIT 1 OFFSET ?",
        (MAX_TIME_S, candidates // 2),
    ).fetchone()
    median = (middle[0] if middle else 0.0) or 0.0
    return RunFigures(runs, candidates, timed_out, unresolved, median, row[4] or 0.0)
