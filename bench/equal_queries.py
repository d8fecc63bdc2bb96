#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Run nubbin, Shrink Ray and C-Vise for as many queries on large inputs and on folders.

    bench/equal_queries.py CASES [--case NAME ...] [--tool NAME ...] [--path DIR ...] [--limit S]
    bench/equal_queries.py --table

CASES holds one folder for each case: see nubbin_bench.cases; an input may be a folder. The
reducers are searched for in every --path and on PATH. They run one after the other, with one job
each, until they have asked as many queries as the last column of the table says, for at most
--limit seconds. Each result is added at once to docs/scale/runs.csv, and runs in that file are not
made again, except with --again. Prints the table of docs/scale.md.
"""

from pathlib import Path

import command_line
from nubbin_bench.markdown import print_table
from peer_records import Record, run_all
from peer_runs import Curve, Row
from peer_tools import NAMES

TOOLS = ("nubbin", "shrinkray", "cvise")
#: How many queries there were when the bytes that are left are told.
MARKS = (30, 60, 120, 250)


def main() -> None:
    options = command_line.options_of_reducers(__doc__, TOOLS, limit_s=1_200)
    command_line.exit_on_sigterm()
    record = Record.load(command_line.DOCS / "scale")
    if options.folder:
        run_all(record, options, TOOLS, takes=takes, queries=MARKS[-1], kept=at_marks)
    print_table(["input", "bytes", "", *(f"{mark}" for mark in MARKS), "end"], rows(record))


def takes(tool: str, source: Path) -> bool:
    """Tell whether a reducer takes this input: C-Vise takes no folder."""
    return tool != "cvise" or source.is_file()


def at_marks(curve: Curve) -> Curve:
    """Return the last point of a curve at each number of queries that the table has."""
    reached = [[point for point in curve if point[0] <= mark][-1:] for mark in MARKS]
    return sorted({point for points in reached for point in points})


def rows(record: Record) -> list[list[str]]:
    """Return a row for each run, those of one input together, nubbin's first."""
    found = sorted(record.rows.values(), key=lambda row: (row.case, TOOLS.index(row.tool)))
    cases = [row.case for row in found]
    return [
        [
            *((row.case, f"{row.bytes_before:,}") if row.case not in cases[:at] else ("", "")),
            NAMES[row.tool],
            *(left_after(record, row, mark) for mark in MARKS),
            end_of(row),
        ]
        for at, row in enumerate(found)
    ]


def end_of(row: Row) -> str:
    """Return how a run ended that did not go on to the last column, and with how many bytes."""
    if row.queries >= MARKS[-1]:
        return ""
    how = "by itself" if row.end == "done" else f"after {row.seconds:.0f} s"
    return f"{how}, {row.queries} queries: {row.bytes:,}"


def left_after(record: Record, row: Row, queries: int) -> str:
    """Return how many bytes a run had left after so many queries; nothing if it was stopped."""
    if row.queries < queries and row.end == "time":
        return ""
    sizes = [size for query, size in record.curves[row.case, row.tool] if query <= queries]
    return f"{min(sizes, default=row.bytes_before):,}"


if __name__ == "__main__":
    main()
