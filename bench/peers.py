#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Run nubbin and other reducers side by side on real inputs, and write docs/peers.md.

    bench/peers.py CASES [--case NAME ...] [--tool NAME ...] [--path DIR ...] [--limit S] [--again]
    bench/peers.py --table

CASES holds one folder for each case: see nubbin_bench.cases. The reducers are searched for in every
--path and on PATH; docs/peers.md says how to install them. They run one after the other, with one
job each, for at most --limit seconds. Each result is added at once to docs/peers/runs.csv, and runs
in that file are not made again, except with --again. --table only writes the page from the record.
Some tests run the reduced program: leave such cases out, or use a sandbox.
"""

import argparse
from pathlib import Path

import command_line
from nubbin_bench.cases import cases_in
from peer_page import write_page
from peer_records import Record
from peer_runs import run
from peer_tools import TOOLS, find


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", metavar="CASES")
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument(
        "--tool", action="append", choices=TOOLS, help="only this one; may be repeated"
    )
    parser.add_argument("--path", action="append", default=[], help="also search here for reducers")
    parser.add_argument("--limit", type=float, default=600, help="seconds per run (600)")
    parser.add_argument("--again", action="store_true", help="also run what was run before")
    parser.add_argument("--table", action="store_true", help="only write the page")
    options = parser.parse_args()
    if (options.folder is None) != options.table:
        parser.error("give CASES, or --table alone")

    command_line.exit_on_sigterm()
    record = Record.load(command_line.DOCS / "peers")
    if options.folder:
        run_all(record, options)
    write_page(record, command_line.DOCS)


def run_all(record: Record, options: argparse.Namespace) -> None:
    """Run every reducer on every case, and add the results to the record."""
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
