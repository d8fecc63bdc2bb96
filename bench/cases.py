#!/usr/bin/env python3
"""Reduce real inputs with the command line, and print what came out as a Markdown table.

    bench/cases.py FOLDER [--case NAME ...] [--algorithm NAME ...] [--max-time S] [--jobs N]

FOLDER holds one folder a case, with a `case.json` that names its `input` and `test`; the
software under test must be installed. Every run starts from a fresh copy of the input.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NUBBIN = Path(__file__).resolve().parent.parent / ".venv/bin/nubbin"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument("--algorithm", action="append", help="default: auto")
    parser.add_argument("--max-time", type=float, default=300, help="seconds a run")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()

    print("| case | algorithm | bytes | left | tokens | left | queries | s | end |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |", flush=True)
    cases = sorted(path.parent for path in options.folder.glob("*/case.json"))
    for case in cases:
        if options.case and case.name not in options.case:
            continue
        for algorithm in options.algorithm or ["auto"]:
            print(f"| {case.name} | {algorithm} | {run(case, algorithm, options)} |", flush=True)


def run(case: Path, algorithm: str, options: argparse.Namespace) -> str:
    about = json.loads((case / "case.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(case / about["input"], folder))
        stats = Path(folder, "stats.json")
        command = [
            str(NUBBIN),
            "reduce",
            "--quiet",
            "--stats",
            str(stats),
            "--algorithm",
            algorithm,
        ]
        command += ["--jobs", str(options.jobs), "--max-time", str(options.max_time)]
        ended = subprocess.run(
            [*command, case.resolve() / about["test"], copy],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if ended.returncode:
            print(ended.stderr.decode(errors="replace"), file=sys.stderr)
            return f"ended with status {ended.returncode} | | | | | | "
        figures = json.loads(stats.read_text())
    before, after = figures["before"], figures["after"]
    end = "1-minimal" if figures["minimal"] else figures["reason"]
    return (
        f"{before['bytes']:,} | {after['bytes']:,} | {before['tokens']:,} | {after['tokens']:,} | "
        f"{figures['queries']:,} | {figures['seconds']:,.0f} | {end}"
    )


if __name__ == "__main__":
    main()
