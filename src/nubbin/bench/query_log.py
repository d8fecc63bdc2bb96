"""The log of a run's queries: one Parquet file, one row for each query, in their order.

Columns: `kind` (complement, revisit, other), `bytes` of the candidate, `verdict`, `seconds` that
the test took when it was run, and `cached` if that was for an earlier run. The file's metadata
hold the row of the record, as JSON, under the key `nubbin`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nubbin.bench.oracle import Answered
from nubbin.bench.rows import Row

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

    def write(self, folder: Path, row: Row) -> None:
        """Write the file of a run, whose name is the key of its row."""
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
        path = folder / f"{'--'.join(row.key)}.parquet"
        partial = path.with_suffix(".part")
        pq.write_table(table, partial, compression="zstd")
        partial.replace(path)
