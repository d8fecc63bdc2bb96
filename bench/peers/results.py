"""Reduce real inputs with the command line, and print the tables of record/results.md.

    bench/run.py peers/results CASES [--case NAME ...] [--algorithm NAME ...] [--max-time S]
                               [--jobs N]

CASES holds one folder for each case: see nubbin_bench.cases. Every run starts from a fresh copy of
the input.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.experiment import Table
from harness.reductions import started
from nubbin_bench.cases import Case, cases_in

_COLUMNS = "case | algorithm | bytes | left | tokens | left | queries | s | end"


def experiment(
    cases: Path,
    *,
    case: Sequence[str] = (),
    algorithm: Sequence[str] = ("auto",),
    max_time: float = 300,
    jobs: int = 1,
) -> Iterator[Table]:
    options = f"--max-time={max_time}", f"--jobs={jobs}"
    rows = (
        [each.name, name, *reduced(each, f"--algorithm={name}", *options)]
        for each in cases_in(cases, case)
        for name in algorithm
    )
    yield Table(_COLUMNS, rows, "llrrrrrrl")


def reduced(case: Case, *options: str) -> list[str | int]:
    """Run nubbin; return the cells of a row."""
    with tempfile.TemporaryDirectory() as folder:
        copy, stats = Path(shutil.copy(case.input, folder)), Path(folder, "stats.json")
        if status := started(case.test.path, copy, *options, f"--stats={stats}").wait():
            return [f"ended with status {status}", *[""] * 6]
        told = json.loads(stats.read_text())
    sizes = [told[when][of] for of in ("bytes", "tokens") for when in ("before", "after")]
    end = "1-minimal" if told["minimal"] else told["reason"]
    return [*sizes, told["queries"], f"{told['seconds']:,.0f}", end]
