#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Run nubbin beside the reducer of each input's own format, and write docs/domains.md.

    bench/domains.py CASES [--case NAME ...] [--tool NAME ...] [--path DIR ...] [--limit S]
    bench/domains.py --table

CASES holds one folder for each case: see nubbin_bench.cases. The reducers are searched for in every
--path and on PATH. They run one after the other, with one job each, for at most --limit seconds.
Each result is added at once to docs/domains/runs.csv, and runs in that file are not made again,
except with --again. --table only writes the page from the record.
"""

from collections.abc import Sequence
from functools import partial
from math import exp, log
from pathlib import Path
from statistics import fmean

import command_line
from format_sealed import SEALED
from formats import FORMATS, in_table
from nubbin_bench.markdown import table
from nubbin_bench.templates import fill
from peer_records import Record, run_all
from peer_runs import Row
from peer_tools import DOMAIN_TOOLS

TOOLS = ("nubbin", *DOMAIN_TOOLS)
TEMPLATE = Path(__file__).resolve().parent / "domains.md.in"


def main() -> None:
    options = command_line.options_of_reducers(__doc__, TOOLS, limit_s=300)
    command_line.exit_on_sigterm()
    record = Record.load(command_line.DOCS / "domains")
    if options.folder:
        run_all(record, options, TOOLS, takes=takes)
    of_formats = {"formats": partial(in_table, FORMATS), "sealed": partial(in_table, SEALED)}
    of_cases = {"cases": partial(by_case, record), "means": partial(means, record)}
    text = fill(TEMPLATE, of_cases | of_formats)
    (command_line.DOCS / "domains.md").write_text(text, encoding="utf-8")


def takes(tool: str, source: Path) -> bool:
    """Tell whether a reducer is one for the format of an input."""
    return tool == "nubbin" or source.suffix in DOMAIN_TOOLS[tool]


def pairs(record: Record) -> list[tuple[Row, Row]]:
    """Return nubbin's run on each case with that of the other reducer."""
    return [
        (record.rows[case, "nubbin"], row)
        for (case, tool), row in sorted(record.rows.items())
        if tool != "nubbin" and (case, "nubbin") in record.rows
    ]


def by_case(record: Record) -> str:
    """Return a row for each run, and how soon it had what the other one ended with."""
    rows = []
    for ours, theirs in pairs(record):
        rows.append(
            [ours.case, ours.format, f"{ours.bytes_before:,}", *figures(record, ours, theirs)]
        )
        rows.append(["", "", "", *figures(record, theirs, ours)])
    head = ["input", "format", "bytes", "", "left", "queries", "to the larger result", "end"]
    return table(head, rows, align="llrlrrrl")


def figures(record: Record, row: Row, other: Row) -> list[str]:
    reached = queries_to(record, row, max(row.bytes, other.bytes))
    end = {"done": "done", "time": "stopped"}.get(row.end, row.end)
    return [row.tool, f"{row.bytes:,}", f"{row.queries:,}", f"{reached:,}", end]


def queries_to(record: Record, row: Row, size: int) -> int:
    """Return after how many queries a run had a result of at most `size` bytes."""
    curve = record.curves.get((row.case, row.tool), [])
    return next((query for query, left in curve if left <= size), row.queries)


def means(record: Record) -> str:
    """Return the geometric means of nubbin's figures over the other reducers', by format."""
    found: dict[str, list[tuple[Row, Row]]] = {}
    for pair in pairs(record):
        found.setdefault(pair[0].format, []).append(pair)
    groups = [*sorted(found.items()), ("all", pairs(record))]
    rows = [
        [
            name,
            f"{len(of)}",
            *ratios([(ours.bytes, theirs.bytes) for ours, theirs in of]),
            *ratios([(ours.queries, theirs.queries) for ours, theirs in of]),
            *ratios([both_reach(record, *both) for both in of]),
        ]
        for name, of in groups
    ]
    head = ["format", "inputs", "bytes", "at most theirs", "queries", "at most theirs"]
    return table([*head, "to the larger result", "at most theirs"], rows)


def both_reach(record: Record, ours: Row, theirs: Row) -> tuple[int, int]:
    """Return after how many queries each of two runs had the larger result of both."""
    larger = max(ours.bytes, theirs.bytes)
    return queries_to(record, ours, larger), queries_to(record, theirs, larger)


def ratios(pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return the mean of how nubbin's figures are to the others', and how many are at most 1."""
    found = [ours / theirs for ours, theirs in pairs]
    return [
        f"{exp(fmean(map(log, found))):.2f}",
        f"{sum(each <= 1 for each in found)} of {len(found)}",
    ]


if __name__ == "__main__":
    main()
