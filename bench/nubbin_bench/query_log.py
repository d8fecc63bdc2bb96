"""The log of a run's queries: one Parquet file, one row for each query, in their order.

Columns: `kind` (complement, revisit, other), `bytes` of the candidate, `verdict`, `seconds` that
the test took when it was run, and `cached` if that was for an earlier run. The file's metadata
hold the row of the record, as JSON, under the key `nubbin`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nubbin_bench.halvings import halvings
from nubbin_bench.oracle import Answered
from nubbin_bench.record import Record
from nubbin_bench.rows import Row

_COLUMNS = pa.schema(
    [
        ("kind", pa.dictionary(pa.int8(), pa.string())),
        ("bytes", pa.int64()),
        ("verdict", pa.dictionary(pa.int8(), pa.string())),
        ("seconds", pa.float32()),
        ("cached", pa.bool_()),
    ]
)


@dataclass
class QueryLog:
    """The queries of one run so far."""

    queries: list[tuple[str, Answered]] = field(default_factory=list)

    def halvings(self, before: int) -> str:
        """Return how the size fell in a run on `before` bytes (halvings.py)."""
        answers = (answer for _, answer in self.queries)
        return halvings(
            before, ((each.bytes, each.verdict.value, each.seconds) for each in answers)
        )

    def write(self, folder: Path, row: Row) -> None:
        """Write the file of a run."""
        table = pa.table(
            [
                [kind for kind, _ in self.queries],
                [answer.bytes for _, answer in self.queries],
                [answer.verdict.value for _, answer in self.queries],
                [answer.seconds for _, answer in self.queries],
                [answer.cached for _, answer in self.queries],
            ],
            schema=_COLUMNS.with_metadata({"nubbin": json.dumps(asdict(row))}),
        )
        folder.mkdir(parents=True, exist_ok=True)
        path = _path(folder, row)
        partial = path.with_suffix(".part")
        pq.write_table(table, partial, compression="zstd")
        partial.replace(path)


def filled(record: Record) -> Record:
    """Return a record whose rows have the halvings that the logs beside it can tell."""
    logs = record.path.parent / "queries"
    rows = {
        key: row if row.halvings else replace(row, halvings=_halvings_of(row, logs))
        for key, row in record.rows.items()
    }
    return Record(record.path, rows)


def _halvings_of(row: Row, logs: Path) -> str:
    """Return how the size fell in a run; nothing if there is no log of just this run."""
    path = _path(logs, row)
    if not path.exists():
        return ""
    log = pq.read_table(path)
    logged = json.loads(log.schema.metadata[b"nubbin"])
    if (logged["date"], logged["queries"]) != (row.date, row.queries):
        return ""
    columns = (log[name].to_pylist() for name in ("bytes", "verdict", "seconds"))
    return halvings(row.bytes_before, zip(*columns, strict=True))


def _path(folder: Path, row: Row) -> Path:
    return folder / f"{'--'.join(row.key)}.parquet"
