#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Reduce real inputs with the command line, and print the tables of docs/results.md.

    bench/results.py CASES [--case NAME ...] [--algorithm NAME ...] [--max-time S] [--jobs N]

CASES holds one folder for each case: see nubbin_bench.cases. Every run starts from a fresh copy of
the input.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import command_line
from nubbin_bench.cases import Case, cases_in
from nubbin_bench.markdown import print_table

HEAD = ["case", "algorithm", "bytes", "left", "tokens", "left", "queries", "s", "end"]


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", type=Path, metavar="CASES")
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument("--algorithm", action="append", help="may be repeated (auto)")
    parser.add_argument("--max-time", type=float, default=300, help="seconds per run (300)")
    parser.add_argument("--jobs", type=int, default=1)
    print_table(HEAD, rows(parser.parse_args()), align="llrrrrrrl")


def rows(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the cells of each row."""
    for case in cases_in(options.folder, options.case):
        for algorithm in options.algorithm or ["auto"]:
            yield [case.name, algorithm, *reduced(case, algorithm, options)]


def reduced(case: Case, algorithm: str, options: argparse.Namespace) -> list[str]:
    """Run nubbin; return the cells of a row."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(case.input, folder)
        stats = Path(folder, "stats.json")
        words = [f"--stats={stats}", f"--algorithm={algorithm}", f"--jobs={options.jobs}"]
        words += [f"--max-time={options.max_time}", str(case.test), copy]
        line = [*command_line.NUBBIN, "reduce", "--quiet", *words]
        ended = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if ended.returncode:
            print(ended.stderr.decode(errors="replace"), file=sys.stderr)
            return [f"ended with status {ended.returncode}", *[""] * (len(HEAD) - 3)]
        figures = json.loads(stats.read_text())
    before, after = figures["before"], figures["after"]
    return [
        f"{before['bytes']:,}",
        f"{after['bytes']:,}",
        f"{before['tokens']:,}",
        f"{after['tokens']:,}",
        f"{figures['queries']:,}",
        f"{figures['seconds']:,.0f}",
        "1-minimal" if figures["minimal"] else figures["reason"],
    ]


if __name__ == "__main__":
    main()
