"""The record of nubbin and its peers: CSV files, of which two are written after every run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from harness.experiment import RECORD, Experiment, Table
from nubbin_bench.cases import cases_in
from nubbin_bench.csv_rows import load, save
from peers.runs import Curve, Row, run
from peers.tools import find

_MAX_FRACTION = 0.97  # of its predecessor's size, for a point of a curve to be kept


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a run's curve: its smallest interesting candidate after some queries."""

    case: str
    tool: str
    query: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Input:
    """The name of an input, what its test asks of which tool, and since when it was known."""

    case: str
    tool: str
    fault: str
    seen: str


@dataclass(frozen=True, slots=True)
class Record:
    """Rows and curves by (case, tool), and the folder they are written to after every change.

    The inputs themselves are not in the repository: `inputs` is what is known of them, by name.
    """

    folder: Path
    rows: dict[tuple[str, str], Row]
    curves: dict[tuple[str, str], Curve]
    inputs: Mapping[str, Input]

    @classmethod
    def load(cls, folder: Path) -> Record:
        """Return what `folder` holds; an empty record if it holds none."""
        curves: dict[tuple[str, str], Curve] = {}
        for point in load(folder / "curves.csv", Point):
            curves.setdefault((point.case, point.tool), []).append((point.query, point.bytes))
        rows = {(row.case, row.tool): row for row in load(folder / "runs.csv", Row)}
        inputs = {each.case: each for each in load(folder / "inputs.csv", Input)}
        return cls(folder, rows, curves, inputs)

    @property
    def cases(self) -> list[str]:
        """The names of all inputs of which there is a run."""
        return sorted({case for case, _ in self.rows})

    @property
    def pairs(self) -> list[tuple[Row, Row]]:
        """nubbin's run on each case with that of each other reducer."""
        return [
            (self.rows[case, "nubbin"], row)
            for (case, tool), row in sorted(self.rows.items())
            if tool != "nubbin" and (case, "nubbin") in self.rows
        ]

    def add(self, row: Row, curve: Curve) -> None:
        """Add a run, or replace the one before, and write both files."""
        self.rows[row.case, row.tool] = row
        self.curves[row.case, row.tool] = curve
        keys = sorted(self.rows)
        save(self.folder / "runs.csv", Row, [self.rows[key] for key in keys])
        points = [Point(*key, *point) for key in keys for point in self.curves.get(key, [])]
        save(self.folder / "curves.csv", Point, points)

    def queries_to(self, row: Row, size: int) -> int:
        """Return after how many queries a run had a result of at most `size` bytes."""
        curve = self.curves.get((row.case, row.tool), [])
        return next((query for query, left in curve if left <= size), row.queries)

    def queries_of_both(self, ours: Row, theirs: Row) -> tuple[int, int]:
        """Return after how many queries each of two runs had the larger result of both."""
        larger = max(ours.bytes, theirs.bytes)
        return self.queries_to(ours, larger), self.queries_to(theirs, larger)


def thinned(curve: Curve) -> Curve:
    """Return the points of a curve at which the size falls by much, and the last one."""
    kept = curve[:1]
    for point in curve[1:]:
        if point[1] <= _MAX_FRACTION * kept[-1][1] or point == curve[-1]:
            kept.append(point)
    return kept


def study(
    name: str,
    tools: Iterable[str],
    made_of: Callable[[Record], Iterator[Table | str]],
    *,
    limit_s: float,
    takes: Callable[[str, Path], bool] = lambda tool, source: True,
    queries: float = inf,
    kept: Callable[[Curve], Curve] = thinned,
) -> Experiment:
    """Return an experiment that runs each tool on each case whose input it takes.

    The record is in the folder `name` of record/. Of each curve, the points that are `kept` are
    recorded. Without cases, nothing is run.
    """

    def experiment(
        cases: Path | None = None,
        *,
        case: Sequence[str] = (),
        tool: Sequence[str] = (),
        path: Sequence[str] = (),
        limit: float = limit_s,
        again: bool = False,
    ) -> Iterator[Table | str]:
        record = Record.load(RECORD / name)
        programs = {each: find(each, path) for each in (tool or tools)} if cases else {}
        for each in (each for each, program in programs.items() if program is None):
            yield f"{each} is not installed: left out"
        for one in cases_in(cases, case) if cases else ():
            for each, program in programs.items():
                is_wanted = again or (one.name, each) not in record.rows
                if program and is_wanted and takes(each, one.input):
                    row, curve = run(one, each, program, limit, queries)
                    record.add(row, kept(curve))
                    yield (
                        f"{row.case} {row.tool}: {row.bytes} bytes, {row.tokens} tokens, "
                        f"{row.queries} queries, {row.seconds} s, {row.end}"
                    )
        yield from made_of(record)

    return experiment
