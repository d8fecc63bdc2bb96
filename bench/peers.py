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

import command_line
from peer_page import write_page
from peer_records import Record, run_all
from peer_tools import TOOLS


def main() -> None:
    options = command_line.options_of_reducers(__doc__, TOOLS, limit_s=600)
    command_line.exit_on_sigterm()
    record = Record.load(command_line.DOCS / "peers")
    if options.folder:
        run_all(record, options, TOOLS)
    write_page(record, command_line.DOCS)


if __name__ == "__main__":
    main()
