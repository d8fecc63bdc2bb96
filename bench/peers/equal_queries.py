"""Run nubbin, Shrink Ray, C-Vise and llvm-reduce for as many queries on large inputs and folders.

    bench/run.py peers/equal_queries [CASES] [--case NAME ...] [--tool NAME ...] [--path DIR ...]
                                     [--limit S] [--again]

`peers/large_inputs` makes CASES. Options and record are those of `peers/compare`, except that an
input may be a folder, and that each run ends when it has asked as many queries as the last column
of the table says. Makes the table of record/large.md from the record in record/large.
"""

from collections.abc import Iterator
from pathlib import Path

from harness.experiment import Table
from peers.records import Record, study
from peers.runs import Curve, Row
from peers.tools import C_SUFFIXES, DOMAIN_TOOLS, NAMES

TOOLS = ("nubbin", "shrinkray", "cvise", "llvm-reduce")
#: How many queries there were when the bytes that are left are told.
MARKS = (30, 60, 100, 250)


def takes(tool: str, source: Path) -> bool:
    """Tell whether a reducer takes this input: C-Vise takes C and C++, llvm-reduce LLVM IR."""
    if tool == "cvise":
        return source.suffix in C_SUFFIXES
    return tool not in DOMAIN_TOOLS or tool == "shrinkray" or source.suffix in DOMAIN_TOOLS[tool]


def at_marks(curve: Curve) -> Curve:
    """Return the last point of a curve at each number of queries that the table has."""
    reached = [[point for point in curve if point[0] <= mark][-1:] for mark in MARKS]
    return sorted({point for points in reached for point in points})


def rows(record: Record) -> list[list[str | int]]:
    """Return a row for each run, those of one input together, nubbin's first."""
    found = sorted(record.rows.values(), key=lambda row: (row.case, TOOLS.index(row.tool)))
    cases = [row.case for row in found]
    return [
        [
            *((row.case, row.bytes_before) if row.case not in cases[:at] else ("", "")),
            f"{NAMES.get(row.tool, row.tool)} {row.version}",
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


def tables(record: Record) -> Iterator[Table | str]:
    columns = ["input", "bytes", "", *map(str, MARKS), "end"]
    yield Table(" | ".join(columns), rows(record))


experiment = study(
    "large", TOOLS, tables, limit_s=1_200, takes=takes, queries=MARKS[-1], kept=at_marks
)
