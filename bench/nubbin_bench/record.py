"""The raw results, added to as they come, and those of several records together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nubbin_bench.csv_rows import load, save
from nubbin_bench.rows import FIXPOINT, Job, Row


@dataclass(frozen=True, slots=True)
class Record:
    """Rows by their key, and the file they are added to."""

    path: Path
    rows: dict[tuple[str, ...], Row]

    @classmethod
    def load(cls, path: Path) -> Record:
        """Return what a file holds; an empty record if there is no file."""
        return cls(path, {row.key: row for row in load(path, Row)})

    def has(self, job: Job) -> bool:
        """Tell whether there is the row of a job, made with this version of its algorithm.

        A row of a run that a lower limit cut does not count.
        """
        row = self.rows.get(job.key)
        if row is None or row.source != job.algorithm.source:
            return False
        cut_at, limit = {
            "max-queries": (row.max_queries, job.max_queries),
            "max-time": (row.max_time, job.max_time),
        }.get(row.end, (0, 0))
        return not 0 < cut_at < limit  # Older rows have no limits.

    def add(self, row: Row) -> None:
        """Add a row, or replace the one with its key, and write the file again, in order."""
        self.rows[row.key] = row
        self._save()

    def merge(self, others: Iterable[Record]) -> list[Row]:
        """Add the rows of other records, and write the file.

        If two rows have one key, the newer one stays; of two copies, the one that tells how the
        size fell. Returns those that went and say something else than the one that stayed: the same
        run should give the same figures, unless its algorithm has changed.
        """
        contradicted = []
        for row in [row for other in others for row in other.rows.values()]:
            ours = self.rows.setdefault(row.key, row)
            older, newer = sorted((row, ours), key=lambda each: (each.date, bool(each.halvings)))
            self.rows[row.key] = newer
            ended = FIXPOINT == newer.end == older.end
            if ended and newer.source == older.source and newer.outcome != older.outcome:
                contradicted.append(older)
        self._save()
        return contradicted

    def _save(self) -> None:
        save(self.path, Row, sorted(self.rows.values(), key=lambda each: (each.suite, each.key)))
