#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""The evaluation of the CDD paper, done again with our algorithm beside it; writes its pages.

    bench/paper.py CASES [--short] [--suite NAME[=GLOB] ...] [--algorithms A,B] [--frameworks F,G]
                [--time S] [--jobs N] [--docs DIR]
    bench/paper.py --pages [--docs DIR]

CASES holds one folder for each case, as cases.py says. The frameworks are hdd; hdd-N, its first N
levels only; lines; tokens; and tokens-N, the tokens that hdd:cdd leaves when it first has no more
than N.

Each result is added at once to raw/runs.csv in DIR (docs/evaluation), and runs in that file are not
made again. So the evaluation can be cut into pieces: nothing starts after --time seconds. Answers
of the tests are kept on disk (--cache), because algorithms ask many of the same questions; queries
and seconds are counted as if they were not. Begin with --short, which takes less than ten minutes
on two cores. --pages only writes the pages from the record. Some tests run the reduced programs:
use a sandbox.
"""

from __future__ import annotations

import argparse
import ctypes
import signal
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

import command_line
from cases import Case
from pages import DOCS
from paper_pages import write_pages
from paper_record import Record, write_environment
from paper_rows import Job, Row
from paper_runs import run
from paper_suites import ALGORITHMS, EVERY, FRAMEWORKS, P0, RANDOM, cases, framework_in

PR_SET_PDEATHSIG = 1

#: The short form: inputs of at most this size, seconds of the test per run, and algorithms.
SHORT_MAX_BYTES = 50_000
SHORT_TIME_S = 60.0
SHORT_ALGORITHMS = ("ddmin", "probdd", "cdd", "auto")


def main() -> None:
    options = parsed()
    record = Record.load(options.docs / "raw/runs.csv")
    if options.pages:
        write_pages(record, options.docs)
    else:
        write_environment(options.docs / "raw/environment.json")
        run_all(planned(options), record, options)


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", metavar="CASES")
    parser.add_argument("--short", action="store_true", help="short inputs, four algorithms, hdd")
    parser.add_argument("--suite", action="append", help=f"one of {', '.join(EVERY)}, or NAME=GLOB")
    parser.add_argument("--algorithms", help=f"default: {','.join(ALGORITHMS)}")
    parser.add_argument("--frameworks", help=f"default: {','.join(FRAMEWORKS)}")
    parser.add_argument("--seeds", type=int, default=5, help="of algorithms that use them (5)")
    parser.add_argument("--p0", type=float, action="append", help="default: as published")
    parser.add_argument("--max-queries", type=int, default=20_000, help="per run (20,000)")
    parser.add_argument(
        "--max-time", type=float, default=900, help="seconds of the test per run (900)"
    )
    parser.add_argument(
        "--time", type=float, default=float("inf"), help="start nothing after these seconds"
    )
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (2)")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/nubbin/paper.sqlite")
    parser.add_argument(
        "--docs", type=Path, default=DOCS / "evaluation", help="default: docs/evaluation"
    )
    parser.add_argument("--pages", action="store_true", help="only write the pages")
    options = parser.parse_args()
    if (options.folder is None) != options.pages:
        parser.error("give CASES, or --pages alone")
    return options


def planned(options: argparse.Namespace) -> list[Job]:
    """Return all jobs, case by case, so that what is done can be compared at any time."""
    default = SHORT_ALGORITHMS if options.short else ALGORITHMS
    algorithms = options.algorithms.split(",") if options.algorithms else default
    frameworks = options.frameworks.split(",") if options.frameworks else FRAMEWORKS
    max_time = min(options.max_time, SHORT_TIME_S) if options.short else options.max_time
    return [
        Job(suite, case, here, algorithm, seed, p0, options.max_queries, max_time)
        for framework in (frameworks[:1] if options.short else frameworks)
        for suite, case in chosen(options)
        for here in [framework_in(suite, framework)]
        for p0 in options.p0 or [P0.get(suite, 0.1)]
        for algorithm in algorithms
        for seed in range(options.seeds if algorithm in RANDOM and not options.short else 1)
    ]


def chosen(options: argparse.Namespace) -> list[tuple[str, Case]]:
    """Return the cases, each with the name of its suite."""
    return [
        (suite.partition("=")[0], case)
        for suite in options.suite or EVERY
        for case in cases(options.folder, suite)
        if not options.short or case.input.stat().st_size <= SHORT_MAX_BYTES
    ]


def end_with_parent() -> None:
    """Have this worker killed together with the script, and not at the end of its job."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def run_all(jobs: list[Job], record: Record, options: argparse.Namespace) -> None:
    """Run the jobs that are not in the record, several at a time, and add them to it."""
    latest = time.monotonic() + options.time
    left = [job for job in reversed(jobs) if job.key not in record.rows]
    under_way: set[Future[Row]] = set()
    with ProcessPoolExecutor(options.jobs, get_context("spawn"), end_with_parent) as pool:
        while under_way or left:
            while left and len(under_way) < options.jobs and time.monotonic() < latest:
                under_way.add(pool.submit(run, left.pop(), options.cache))
            if not under_way:
                print(f"{len(left)} runs are left for another time")
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for row in [each.result() for each in done]:
                record.add(row)
                print(
                    f"{row.case} {row.framework}:{row.algorithm} {row.seed}: {row.tokens} tokens, "
                    f"{row.queries} queries, {row.seconds:.0f} + {row.own:.0f} s, {row.end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
