"""A run as lines of text, for what is not a terminal."""

from __future__ import annotations

import time
from pathlib import Path

from nubbin.watch import headline, pass_table, test_figures
from nubbin.watch.reader import RunReader

_COLUMNS = 100


def plain_lines(run: Path) -> list[str]:
    """Return a run as it is now; raises NubbinError if it cannot be read, or never began."""
    snapshot = RunReader(run).read()
    lines = [
        *headline.lines(snapshot, _COLUMNS),
        "",
        *pass_table.rows(snapshot, _COLUMNS),
        "",
        *test_figures.lines(snapshot, time.time()),
    ]
    return [str(line).rstrip() for line in lines]
