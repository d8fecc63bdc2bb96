#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Run nubbin and other reducers side by side on real inputs, and write docs/peers.md.

    bench/peers.py FOLDER [--case NAME ...] [--tool NAME ...] [--path DIR ...] [--limit S] [--again]
    bench/peers.py --table

FOLDER holds one folder a case, with a `case.json` that names its `input`, `test` and `format`;
the software under test must be installed. The reducers are looked for on PATH and in every
--path; docs/peers.md says how to install them. One run at a time, one job each, at most --limit
seconds. Results are added to docs/peers/runs.csv as they come, and what is there already is not
run again (unless --again), so that a run that was broken off goes on. --table only writes the
page anew. Some tests run the reduced program: leave such cases out, or use a sandbox.
"""

import argparse
import signal
import sys
from pathlib import Path

from peer_page import write_page
from peer_records import Record
from peer_runs import Case, run
from peer_tools import TOOLS, find

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this one; repeatable")
    parser.add_argument("--path", action="append", default=[], help="where reducers are, too")
    parser.add_argument("--limit", type=float, default=600, help="seconds a run (600)")
    parser.add_argument("--again", action="store_true", help="run what was run before, too")
    parser.add_argument("--table", action="store_true", help="only write the page anew")
    options = parser.parse_args()
    if (options.folder is None) != options.table:
        parser.error("give a FOLDER, or --table alone")

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    record = Record.load(DOCS / "peers")
    if options.folder:
        run_all(record, options)
    write_page(record, DOCS)


def run_all(record: Record, options: argparse.Namespace) -> None:
    programs = {tool: find(tool, options.path) for tool in options.tool or TOOLS}
    for tool, program in programs.items():
        if program is None:
            print(f"{tool} is not installed: left out", flush=True)
    for folder in sorted(path.parent for path in options.folder.glob("*/case.json")):
        if options.case and folder.name not in options.case:
            continue
        for tool, program in programs.items():
            if program and (options.again or (folder.name, tool) not in record.rows):
                row, curve = run(Case.load(folder), tool, program, options.limit)
                record.add(row, curve)
                print(
                    f"{row.case} {row.tool}: {row.bytes} bytes, {row.tokens} tokens, "
                    f"{row.queries} queries, {row.seconds} s, {row.end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
