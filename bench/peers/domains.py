"""Run nubbin beside the reducer of each input's own format, and write record/domains.md.

    bench/run.py peers/domains [CASES] [--case NAME ...] [--tool NAME ...] [--path DIR ...]
                               [--limit S] [--again]

Options and record are those of `peers/compare`; the record is in record/domains. The page also has
the tables of `formats/counted`. Its means are in
docs/how-good.md.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from formats.counted import FORMATS, in_table
from formats.sealed import SEALED
from harness.experiment import RECORD, Table
from nubbin_bench.templates import fill
from peers.means import ENDS
from peers.records import Record, study
from peers.summary import write_summary
from peers.tools import DOMAIN_TOOLS

TEMPLATE = Path(__file__).with_name("domains.md.in")


def takes(tool: str, source: Path) -> bool:
    """Tell whether a reducer is one for the format of an input."""
    return tool == "nubbin" or source.suffix in DOMAIN_TOOLS[tool]


def by_case(record: Record) -> str:
    """Return a row for each run, and how soon it had what the other one ended with."""
    rows = []
    for both in record.pairs:
        for row, reached in zip(both, record.queries_of_both(*both), strict=True):
            about = (row.case, row.format, row.bytes_before) if row is both[0] else ("", "", "")
            end = ENDS.get(row.end, row.end)
            rows.append([*about, row.tool, row.bytes, row.queries, reached, end])
    columns = "input | format | bytes | | left | queries | to the larger result | end"
    return str(Table(columns, rows, "llrlrrrl"))


def written(record: Record) -> Iterator[Table | str]:
    of_formats = {"formats": partial(in_table, FORMATS), "sealed": partial(in_table, SEALED)}
    of_cases = {"cases": partial(by_case, record)}
    text = fill(TEMPLATE, of_cases | of_formats)
    (RECORD / "domains.md").write_text(text, encoding="utf-8")
    write_summary()
    yield f"{len(record.rows)} runs of {len(record.cases)} inputs"


experiment = study("domains", ("nubbin", *DOMAIN_TOOLS), written, limit_s=300, takes=takes)
