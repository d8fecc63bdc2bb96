from __future__ import annotations

from pathlib import Path

from nubbin.journal.recorded_run import ListedRun
from nubbin.report.runs_table import moment, runs_table

BEGUN = 1_700_000_000.0


def test_columns_are_aligned_and_states_are_words() -> None:
    runs = [
        ListedRun(Path(".nubbin/a.c-1"), "fixpoint", 48_213, 31, 1_204, BEGUN),
        ListedRun(Path(".nubbin/long.txt-2"), "max-queries", 52, 8, 1, BEGUN),
        ListedRun(Path(".nubbin/x\n\x1b[2J"), "running", 9, 9, 0, BEGUN),
        ListedRun(Path(".nubbin/d"), "died", 9, 9, 0, BEGUN),
    ]
    at = moment(BEGUN)
    assert runs_table(runs) == [
        "run         begun             state                      bytes         queries",
        f"a.c-1       {at}  done                      48,213  -> 31    1,204",
        f"long.txt-2  {at}  stopped by --max-queries      52  -> 8         1",
        f"x\\n\\x1b[2J  {at}  under way                      9  -> 9         0",
        f"d           {at}  killed                         9  -> 9         0",
    ]
