"""The cost of a query over a bare spawn of the same script.

    bench/run.py speed/overhead [--queries N] [--bytes N] [--jobs N ...]

A bare spawn is what any driver must pay: `subprocess.Popen` and `wait` on the script, in a folder
that exists, with one argument, and with stdin, stdout and stderr on the null device. Spawns and
queries take turns. The figures are medians of wall time per query. With `--jobs N`, N threads run
queries through LocalExecutor, and the figures are wall time divided by queries.

A server and a Python function that do as little follow, and the first script in a Dask cluster
with one process on this machine per job.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from harness.experiment import Table
from harness.reductions import executable
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
from speed.turns import Call, in_turns

SCRIPTS = {"sh": "#!/bin/sh\nexit 0\n", "true": "#!/bin/true\n"}

MAX_RATIO = 1.25
BLOCK = 50  # queries that are timed together if there is more than one job
_WARM_UP = 10


def compared(bare: Call, query: Call, pairs: int, jobs: int) -> tuple[float, float]:
    """Return the median seconds per spawn and per query if `jobs` threads share the work."""
    if jobs == 1:
        spawns, queries = in_turns((bare, query), pairs + _WARM_UP)
        return median(spawns[_WARM_UP:]), median(queries[_WARM_UP:])

    def block(executor: Executor, call: Call) -> None:
        for future in [executor.submit(call) for _ in range(BLOCK)]:
            future.result()

    with ThreadPoolExecutor(jobs) as threads, LocalExecutor(jobs) as local:
        calls = partial(block, threads, bare), partial(block, local, query)
        spawns, queries = in_turns(calls, max(4, pairs // BLOCK))
    return median(spawns) / BLOCK, median(queries) / BLOCK


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


def experiment(
    *, queries: int = 1000, bytes: int = 2000, jobs: Sequence[int] = (1, 2)
) -> Iterator[Table | str]:
    ratios = []

    def rows() -> Iterator[list[object]]:
        for name, count, spawn, query in measured(queries, os.urandom(bytes), jobs):
            ratios.append(query / spawn if name in SCRIPTS else 0.0)
            times = f"{spawn * 1e6:.0f}", f"{query * 1e6:.0f}", f"{query / spawn:.2f}"
            yield [name, count, *times, f"{1 / query:,.0f}"]

    yield Table("oracle | jobs | bare spawn, us | query, us | ratio | queries a second", rows())
    yield f"worst ratio of a script {max(ratios):.3f}, target at most {MAX_RATIO}"


def measured(
    queries: int, data: bytes, jobs: Sequence[int]
) -> Iterator[tuple[str, int, float, float]]:
    """Yield, for each oracle and number of jobs, the seconds of a bare spawn and of a query."""
    files = {"candidate.txt": data}
    for count in jobs:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            scripts = {name: executable(folder / name, text) for name, text in SCRIPTS.items()}
            with oracles(folder, scripts, files, count) as made:
                for name, oracle in made.items():
                    spawn = partial(bare, scripts.get(name, scripts["sh"]))
                    yield name, count, *compared(spawn, partial(oracle, files), queries, count)


def bare(script: Path) -> None:
    """Run a script as cheaply as Python can."""
    null = subprocess.DEVNULL
    line = [script, script.with_name("candidate.txt")]
    subprocess.Popen(line, cwd=script.parent, stdin=null, stdout=null, stderr=null).wait()
