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
from pathlib import Path

import command_line
from cases import cases_in
from pages import DOCS
from peer_page import write_page
from peer_records import Record
from peer_runs import run
from peer_tools import TOOLS, find


def main() -> None:
    parser = command_line.parser(__doc__)
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

    command_line.exit_on_sigterm()
    record = Record.load(DOCS / "peers")
    if options.folder:
        run_all(record, options)
    write_page(record, DOCS)


def run_all(record: Record, options: argparse.Namespace) -> None:
    programs = {tool: find(tool, options.path) for tool in options.tool or TOOLS}
    for tool, program in programs.items():
        if program is None:
            print(f"{tool} is not installed: left out", flush=True)
    for case in cases_in(options.folder, options.case):
        for tool, program in programs.items():
            if program and (options.again or (case.name, tool) not in record.rows):
                row, curve = run(case, tool, program, options.limit)
                record.add(row, curve)
                print(
                    f"{row.case} {row.tool}: {row.bytes} bytes, {row.tokens} tokens, "
                    f"{row.queries} queries, {row.seconds} s, {row.end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
