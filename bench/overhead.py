#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""The cost of a query over a bare spawn of the same script.

    bench/overhead.py [--queries N] [--bytes N] [--jobs N ...]

A bare spawn is what any driver must pay: `subprocess.Popen` and `wait` on the script, in a folder
that exists, with one argument, and with stdin, stdout and stderr on the null device. Spawns and
queries take turns, and so does which of them comes first, so that both meet the same load. The
figures are medians of wall time per query. With `--jobs N`, N threads run queries through
LocalExecutor, and the figures are wall time divided by queries.

A server and a Python function that do as little follow, and the first script in a Dask cluster
with one process on this machine per job.
"""

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import command_line
from nubbin.executors.cluster_executor import ClusterExecutor
from nubbin.executors.local_executor import LocalExecutor
from nubbin.executors.remote_oracle import RemoteOracle
from nubbin.executors.remote_query import OracleSpec
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_bench.markdown import print_table

SCRIPTS = {"sh": "#!/bin/sh\nexit 0\n", "true": "#!/bin/true\n"}
Call = Callable[[], object]

MAX_RATIO = 1.25
BLOCK = 50  # queries that are timed together if there is more than one job


def seconds(call: Call) -> float:
    """Return the wall time of a call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def one_by_one(bare: Call, query: Call, pairs: int) -> tuple[float, float]:
    """Return the median seconds of a bare spawn, and of a query."""
    spawns: list[float] = []
    queries: list[float] = []
    for pair in range(pairs + 10):
        for call, times in [(bare, spawns), (query, queries)][:: 1 if pair % 2 else -1]:
            times.append(seconds(call))
    return statistics.median(spawns[10:]), statistics.median(queries[10:])


def side_by_side(bare: Call, query: Call, pairs: int, jobs: int) -> tuple[float, float]:
    """Return the median seconds per spawn and per query if `jobs` threads share the work."""

    def block(executor: Executor, call: Call) -> None:
        futures = [executor.submit(call) for _ in range(BLOCK)]
        for future in futures:
            future.result()

    spawns: list[float] = []
    queries: list[float] = []
    with ThreadPoolExecutor(jobs) as threads, LocalExecutor(jobs) as local:
        for pair in range(max(4, pairs // BLOCK)):
            turns: list[tuple[Executor, Call, list[float]]]
            turns = [(threads, bare, spawns), (local, query, queries)]
            for executor, call, times in turns[:: 1 if pair % 2 else -1]:
                times.append(seconds(partial(block, executor, call)) / BLOCK)
    return statistics.median(spawns), statistics.median(queries)


@contextmanager
def oracles(
    folder: Path, scripts: dict[str, Path], files: Files, jobs: int
) -> Iterator[dict[str, Oracle]]:
    """Yield oracles whose tests do nothing, by name, each for `jobs` queries at a time."""
    server, module = folder / "server.py", folder / "function.py"
    server.write_text("import sys\nfor _ in sys.stdin: print('interesting', flush=True)\n")
    module.write_text("def interesting(path):\n    return True\n")
    tests: dict[str, UserTest] = {name: CommandTest.of(script) for name, script in scripts.items()}
    first = next(iter(tests.values()))
    tests["server"] = ServerTest.of(shlex.join([sys.executable, str(server)]))
    tests["python"] = PythonTest.of(f"{module}:interesting")
    with ExitStack() as stack:
        made: dict[str, Oracle] = {
            name: stack.enter_context(LocalOracle(test, "candidate.txt", timeout=60.0))
            for name, test in tests.items()
        }
        cluster = stack.enter_context(ClusterExecutor(f"local:{jobs}"))
        spec = OracleSpec(first, "candidate.txt")
        made["dask"] = RemoteOracle(cluster, spec, files, 60.0)
        yield made


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("--queries", type=int, default=1000, help="of each kind")
    parser.add_argument("--bytes", type=int, default=2000, help="size of the candidate")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    worst = 0.0

    def rows() -> Iterator[list[str]]:
        nonlocal worst
        for name, jobs, spawn, query in measured(options):
            if name in SCRIPTS:
                worst = max(worst, query / spawn)
            figures = [f"{spawn * 1e6:.0f}", f"{query * 1e6:.0f}", f"{query / spawn:.2f}"]
            yield [name, f"{jobs}", *figures, f"{1 / query:,.0f}"]

    head = ["oracle", "jobs", "bare spawn, us", "query, us", "ratio", "queries a second"]
    print_table(head, rows())
    print(f"\nworst ratio of a script {worst:.3f}, target at most {MAX_RATIO}")


def measured(options: argparse.Namespace) -> Iterator[tuple[str, int, float, float]]:
    """Yield, for each oracle and number of jobs, the seconds of a bare spawn and of a query."""
    files = {"candidate.txt": os.urandom(options.bytes)}
    for jobs in options.jobs:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            scripts = {}
            for name, text in SCRIPTS.items():
                scripts[name] = folder / name
                scripts[name].write_text(text)
                scripts[name].chmod(0o755)
            with oracles(folder, scripts, files, jobs) as made:
                for name, oracle in made.items():
                    script = scripts.get(name, scripts["sh"])
                    measure = one_by_one if jobs == 1 else partial(side_by_side, jobs=jobs)
                    calls = partial(bare, script), partial(oracle, files)
                    yield name, jobs, *measure(*calls, options.queries)


def bare(script: Path) -> None:
    """Run a script as cheaply as Python can."""
    null = subprocess.DEVNULL
    line = [script, script.with_name("candidate.txt")]
    subprocess.Popen(line, cwd=script.parent, stdin=null, stdout=null, stderr=null).wait()


if __name__ == "__main__":
    main()
