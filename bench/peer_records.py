"""The record of nubbin and its peers: two CSV files, written after every run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin_bench.csv_rows import load, save
from peer_runs import Row

_MAX_FRACTION = 0.97  # of its predecessor's size, for a point of a curve to be kept


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a run's curve: its smallest interesting candidate after some queries."""

    case: str
    tool: str
    query: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Record:
    """Rows and curves by (case, tool), and the folder they are written to after every change."""

    folder: Path
    rows: dict[tuple[str, str], Row]
    curves: dict[tuple[str, str], list[tuple[int, int]]]

    @classmethod
    def load(cls, folder: Path) -> Record:
        """Return what `folder` holds; an empty record if it holds none."""
        curves: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for point in load(folder / "curves.csv", Point):
            curves.setdefault((point.case, point.tool), []).append((point.query, point.bytes))
        rows = {(row.case, row.tool): row for row in load(folder / "runs.csv", Row)}
        return cls(folder, rows, curves)

    def add(self, row: Row, curve: list[tuple[int, int]]) -> None:
        """Add a run, or replace the one before; thin out its curve, and write both files."""
        self.rows[row.case, row.tool] = row
        self.curves[row.case, row.tool] = thinned(curve)
        keys = sorted(self.rows)
        save(self.folder / "runs.csv", Row, [self.rows[key] for key in keys])
        points = [Point(*key, *point) for key in keys for point in self.curves.get(key, [])]
        save(self.folder / "curves.csv", Point, points)


def thinned(curve: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the points of a curve at which the size falls by much, and the last one."""
    kept = curve[:1]
    for point in curve[1:]:
        if point[1] <= _MAX_FRACTION * kept[-1][1] or point == curve[-1]:
            kept.append(point)
    return kept
