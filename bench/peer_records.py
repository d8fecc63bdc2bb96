"""The results of runs as two small CSV files, added to as they come."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from peer_runs import Row

THIN = 0.97  # a point of a curve is kept when the size has fallen by 3 % since the last one


@dataclass(frozen=True, slots=True)
class Record:
    """Rows and curves by (case, tool), and the folder they are written to after every change."""

    folder: Path
    rows: dict[tuple[str, str], Row]
    curves: dict[tuple[str, str], list[tuple[int, int]]]

    @classmethod
    def load(cls, folder: Path) -> Record:
        """What `folder` holds; an empty record where there is none."""
        rows: dict[tuple[str, str], Row] = {}
        curves: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for values in read(folder / "runs.csv"):
            told: dict[str, Any] = {
                field.name: typed(field.type, values[field.name]) for field in fields(Row)
            }
            row = Row(**told)
            rows[row.case, row.tool] = row
        for values in read(folder / "curves.csv"):
            curve = curves.setdefault((values["case"], values["tool"]), [])
            curve.append((int(values["query"]), int(values["bytes"])))
        return cls(folder, rows, curves)

    def add(self, row: Row, curve: list[tuple[int, int]]) -> None:
        """Put a run in the place of the one before, thin out its curve, and write both files."""
        self.rows[row.case, row.tool] = row
        self.curves[row.case, row.tool] = thinned(curve)
        self.folder.mkdir(parents=True, exist_ok=True)
        keys = sorted(self.rows)
        write(self.folder / "runs.csv", [asdict(self.rows[key]) for key in keys])
        points = [
            {"case": case, "tool": tool, "query": query, "bytes": size}
            for case, tool in keys
            for query, size in self.curves.get((case, tool), [])
        ]
        write(self.folder / "curves.csv", points)


def typed(kind: object, text: str) -> str | int | float | bool:
    """A value of a CSV file as the type its field is annotated with."""
    if kind == "bool":
        return text == "True"
    types: dict[str, Callable[[str], str | int | float]] = {"int": int, "float": float}
    return types.get(str(kind), str)(text)


def thinned(curve: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept = curve[:1]
    for point in curve[1:]:
        if point[1] <= THIN * kept[-1][1] or point == curve[-1]:
            kept.append(point)
    return kept


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Write the rows to `path`, whole or not at all."""
    if not rows:
        return
    beside = path.with_name(path.name + ".part")
    with beside.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    beside.replace(path)
