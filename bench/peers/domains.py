"""Run nubbin beside the reducer of each input's own format, and write docs/domains.md.

    bench/run.py peers/domains [CASES] [--case NAME ...] [--tool NAME ...] [--path DIR ...]
                               [--limit S] [--again]

Options and record are those of `peers/compare`; the record is in docs/domains. The page also has
the tables of `formats/counted`.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from math import exp, log
from pathlib import Path
from statistics import fmean

from formats.counted import FORMATS, in_table
from formats.sealed import SEALED
from harness.experiment import DOCS, Table
from nubbin_bench.templates import fill
from peers.means import ENDS
from peers.records import Record, study
from peers.runs import Row
from peers.tools import DOMAIN_TOOLS

TEMPLATE = Path(__file__).with_name("domains.md.in")


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
    for both in pairs(record):
        for row, reached in zip(both, record.queries_of_both(*both), strict=True):
            about = (row.case, row.format, row.bytes_before) if row is both[0] else ("", "", "")
            end = ENDS.get(row.end, row.end)
            rows.append([*about, row.tool, row.bytes, row.queries, reached, end])
    columns = "input | format | bytes | | left | queries | to the larger result | end"
    return str(Table(columns, rows, "llrlrrrl"))


def means(record: Record) -> str:
    """Return the geometric means of nubbin's figures over the other reducers', by format."""
    found: dict[str, list[tuple[Row, Row]]] = {}
    for pair in pairs(record):
        found.setdefault(pair[0].format, []).append(pair)
    rows = [
        [
            name,
            len(of),
            *ratios([(ours.bytes, theirs.bytes) for ours, theirs in of]),
            *ratios([(ours.queries, theirs.queries) for ours, theirs in of]),
            *ratios([record.queries_of_both(*both) for both in of]),
        ]
        for name, of in [*sorted(found.items()), ("all", pairs(record))]
    ]
    columns = "format | inputs | bytes | at most theirs | queries | at most theirs"
    return str(Table(f"{columns} | to the larger result | at most theirs", rows))


def ratios(pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return the mean of how nubbin's figures are to the others', and how many are at most 1."""
    found = [ours / theirs for ours, theirs in pairs]
    return [
        f"{exp(fmean(map(log, found))):.2f}",
        f"{sum(each <= 1 for each in found)} of {len(found)}",
    ]


def written(record: Record) -> Iterator[Table | str]:
    of_formats = {"formats": partial(in_table, FORMATS), "sealed": partial(in_table, SEALED)}
    of_cases = {"cases": partial(by_case, record), "means": partial(means, record)}
    text = fill(TEMPLATE, of_cases | of_formats)
    (DOCS / "domains.md").write_text(text, encoding="utf-8")
    yield f"{len(record.rows)} runs of {len(record.cases)} inputs"


experiment = study("domains", ("nubbin", *DOMAIN_TOOLS), written, limit_s=300, takes=takes)
