"""The record of nubbin and its peers: two CSV files, written after every run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path

from nubbin_bench.cases import cases_in
from nubbin_bench.csv_rows import load, save
from peer_runs import Curve, Row, run
from peer_tools import find

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
    curves: dict[tuple[str, str], Curve]

    @classmethod
    def load(cls, folder: Path) -> Record:
        """Return what `folder` holds; an empty record if it holds none."""
        curves: dict[tuple[str, str], Curve] = {}
        for point in load(folder / "curves.csv", Point):
            curves.setdefault((point.case, point.tool), []).append((point.query, point.bytes))
        rows = {(row.case, row.tool): row for row in load(folder / "runs.csv", Row)}
        return cls(folder, rows, curves)

    def add(self, row: Row, curve: Curve) -> None:
        """Add a run, or replace the one before, and write both files."""
        self.rows[row.case, row.tool] = row
        self.curves[row.case, row.tool] = curve
        keys = sorted(self.rows)
        save(self.folder / "runs.csv", Row, [self.rows[key] for key in keys])
        points = [Point(*key, *point) for key in keys for point in self.curves.get(key, [])]
        save(self.folder / "curves.csv", Point, points)


def thinned(curve: Curve) -> Curve:
    """Return the points of a curve at which the size falls by much, and the last one."""
    kept = curve[:1]
    for point in curve[1:]:
        if point[1] <= _MAX_FRACTION * kept[-1][1] or point == curve[-1]:
            kept.append(point)
    return kept


def run_all(
    record: Record,
    options: argparse.Namespace,
    tools: Iterable[str],
    *,
    takes: Callable[[str, Path], bool] = lambda tool, source: True,
    queries: float = inf,
    kept: Callable[[Curve], Curve] = thinned,
) -> None:
    """Run each tool on each case whose input it takes, and add the results to the record.

    The `options` are those of `command_line.options_of_reducers`; of each curve, the points that
    are `kept` are recorded. Runs that are in the record are not made again, unless that is asked.
    """
    programs = {tool: find(tool, options.path) for tool in options.tool or tools}
    for tool, program in programs.items():
        if program is None:
            print(f"{tool} is not installed: left out", flush=True)
    for case in cases_in(options.folder, options.case):
        for tool, program in programs.items():
            is_wanted = options.again or (case.name, tool) not in record.rows
            if program and is_wanted and takes(tool, case.input):
                row, curve = run(case, tool, program, options.limit, queries)
                record.add(row, kept(curve))
                print(
                    f"{row.case} {row.tool}: {row.bytes} bytes, {row.tokens} tokens, "
                    f"{row.queries} queries, {row.seconds} s, {row.end}",
                    flush=True,
                )
