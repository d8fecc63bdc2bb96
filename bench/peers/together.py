"""Run nubbin and another reducer for each input: each alone, and both together.

    bench/run.py peers/together [CASES] [--case NAME ...] [--tool NAME ...] [--limit S] [--again]

Options and record are those of `peers/compare`; the record is in record/together. The `case.json`
of each input names the other `reducer`, as --reduce-with takes it. Of the runs, `alone` is that
reducer without nubbin, `nubbin` is nubbin without it, `together` gives it turns, and `first` gives
it the first turn.
"""

from collections.abc import Iterator

from harness.experiment import Table
from peers.means import ENDS
from peers.records import Record, study
from peers.runs import Row

TOOLS = ("alone", "nubbin", "together", "first")
#: A run ends soon after so many.
QUERIES = 400
#: How many more bytes, and how many more queries, than the better of both are as good.
BYTES, ASKED = 1.02, 1.10


def rows(record: Record) -> Iterator[list[str | int]]:
    """Yield the runs on each input, and whether those together are as good as the better one."""
    for case in record.cases:
        runs = [record.rows[case, tool] for tool in TOOLS if (case, tool) in record.rows]
        apart = [row for row in runs if row.tool in TOOLS[:2]]
        size = min(row.bytes for row in apart)
        most = round(BYTES * size)
        best = min(record.queries_to(row, most) for row in apart if row.bytes <= most)
        for at, row in enumerate(runs):
            about = ("", "", "") if at else (case, row.format, row.bytes_before)
            reached = _reached(record, row, most)
            good = "" if row in apart else ("yes" if 0 < reached <= ASKED * best else "no")
            yield [
                *about,
                row.tool,
                row.bytes,
                row.queries,
                reached or "",
                good,
                ENDS.get(row.end, row.end),
            ]


def _reached(record: Record, row: Row, size: int) -> int:
    return record.queries_to(row, size) if row.bytes <= size else 0


def tables(record: Record) -> Iterator[Table | str]:
    """Yield the table of all runs."""
    columns = "input | format | bytes | | left | queries | to the better | as good | end"
    yield Table(columns, rows(record), "llrlrrrll")


experiment = study("together", TOOLS, tables, limit_s=600, queries=QUERIES)
