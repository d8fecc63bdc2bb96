"""What a query costs: over a bare spawn, for each query or once, and in a cluster.

    bench/run.py speed/overhead [--queries N] [--bytes N] [--jobs N ...] [--only WORDS]

A bare spawn is what any driver must pay: `subprocess.Popen` and `wait` on a script that does
nothing, in a folder that exists, with one argument, and with stdin, stdout and stderr on the null
device. Spawns and queries take turns, so that other work on the machine meets both. The figures are
medians of wall time per query; the first answer, which may be slow, is in a column of its own. With
`--jobs N`, queries run in a pool of N threads, and figures are wall time divided by queries.

Each test says that the candidate is interesting. Some do nothing else, the others import much or
start a JVM first: as a command for every query, as a server or a Python function once. A cluster
has one process on this machine per job.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from timeit import timeit

from harness.experiment import Table
from harness.reductions import executable
from nubbin.executors.cluster_executor import ClusterExecutor
from nubbin.executors.remote_oracle import RemoteOracle
from nubbin.executors.threads import Threads
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.verdict import Verdict

Call = Callable[[], object]

NAME = "candidate.json"
MAX_RATIO = 1.25  # of a query to a bare spawn
BLOCK = 50  # queries that are timed together if there is more than one job
_WARM_UP = 10
_SCRIPTS = {"sh": "#!/bin/sh\nexit 0\n", "true": "#!/bin/true\n"}
_SERVER = "import sys\nfor _ in sys.stdin: print('interesting', flush=True)\n"

_PYTHON = """\
import json
import sys
{imports}

def holds(path):
    return 17 in json.loads(path.read_text())


if __name__ == "__main__":
    from pathlib import Path

    sys.exit(not holds(Path(sys.argv[1])))
"""

_JAVA = """\
import java.io.*;
import java.nio.file.*;
import javax.xml.parsers.*;

public class Holds {
    static boolean holds(String path) throws Exception {
        var text = Files.readString(Path.of(path));
        var xml = new ByteArrayInputStream(("<a>" + text + "</a>").getBytes());
        var parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        return parser.parse(xml).getDocumentElement().getTextContent().contains("17");
    }

    public static void main(String[] words) throws Exception {
        if (words.length > 0)
            System.exit(holds(words[0]) ? 0 : 1);
        var paths = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = paths.readLine()) != null; )
            System.out.println(holds(path) ? "interesting" : "uninteresting");
    }
}
"""


def tests(folder: Path) -> Iterator[tuple[str, UserTest]]:
    """Yield tests by name, whose files are in a folder."""
    for name, text in _SCRIPTS.items():
        yield name, CommandTest.of(executable(folder / name, text))
    python = shlex.quote(sys.executable)
    (folder / "server.py").write_text(_SERVER)
    yield "server", ServerTest.of(f"{python} {folder}/server.py")
    for name, imports in (("json", ""), ("scipy", "import scipy.stats\n")):
        program = folder / f"{name}_test.py"
        program.write_text(_PYTHON.format(imports=imports))
        line = f'#!/bin/sh\nexec {python} {program} "$@"\n'
        yield f"{name}, command", CommandTest.of(executable(folder / f"{name}.sh", line))
        yield f"{name}, --python", PythonTest.of(f"{program}:holds")
    if shutil.which("javac") is None:
        print("no javac here: the JVM is left out", file=sys.stderr)
        return
    (folder / "Holds.java").write_text(_JAVA)
    subprocess.run(["javac", folder / "Holds.java"], check=True)
    line = f'#!/bin/sh\nexec java -cp {folder} Holds "$@"\n'
    yield "JVM, command", CommandTest.of(executable(folder / "java.sh", line))
    yield "JVM, --server", ServerTest.of(f"java -cp {folder} Holds")


def oracles(folder: Path, data: bytes, jobs: int, only: str) -> Iterator[tuple[str, Oracle]]:
    """Yield oracles by name, each for some queries at a time; the last one is a cluster."""
    for name, test in tests(folder):
        if only in name:
            with closing(LocalOracle(OracleSpec(test, NAME), 60.0)) as oracle:
                yield name, oracle
    if only in "Dask":
        with ClusterExecutor(f"local:{jobs}") as cluster:
            spec = OracleSpec(CommandTest.of(folder / "sh"), NAME)
            yield "Dask", RemoteOracle(cluster, spec, {NAME: data}, 60.0)


def ask(oracle: Oracle, data: bytes) -> None:
    """Ask a question, whose answer is yes."""
    answer = oracle({NAME: data})
    if answer.verdict is not Verdict.INTERESTING:
        sys.exit(f"a wrong answer: {answer}")


def bare(script: Path) -> None:
    """Run a script as cheaply as Python can."""
    null = subprocess.DEVNULL
    line = [script, script.with_name(NAME)]
    subprocess.Popen(line, cwd=script.parent, stdin=null, stdout=null, stderr=null).wait()


def in_turns(first: Call, second: Call, rounds: int) -> tuple[float, float]:
    """Return the median seconds of two calls; which comes first, alternates."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for at in (0, 1) if number % 2 else (1, 0):
            times[at].append(timeit((first, second)[at], number=1))
    return median(times[0]), median(times[1])


def compared(spawn: Call, query: Call, pairs: int, jobs: int) -> tuple[float, float]:
    """Return the median seconds per spawn and per query if `jobs` threads share the work."""
    if jobs == 1:
        in_turns(spawn, query, _WARM_UP)
        return in_turns(spawn, query, pairs)

    def block(executor: Executor, call: Call) -> None:
        for future in [executor.submit(call) for _ in range(BLOCK)]:
            future.result()

    with ThreadPoolExecutor(jobs) as threads, Threads(jobs) as local:
        blocks = partial(block, threads, spawn), partial(block, local, query)
        spawned, asked = in_turns(*blocks, max(4, pairs // BLOCK))
    return spawned / BLOCK, asked / BLOCK


def experiment(
    *, queries: int = 1000, bytes: int = 2000, jobs: Sequence[int] = (1, 2), only: str = ""
) -> Iterator[Table | str]:
    data = b"[" + b" " * (bytes - 4) + b"17]"
    worst = 0.0

    def rows() -> Iterator[list[object]]:
        nonlocal worst
        for count in jobs:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for kind, oracle in oracles(folder, data, count, only):
                    script = folder / (kind if kind in _SCRIPTS else "sh")
                    query = partial(ask, oracle, data)
                    first = timeit(query, number=1)
                    spawn, each = compared(partial(bare, script), query, queries, count)
                    worst = max(worst, each / spawn if kind in _SCRIPTS else 0.0)
                    times = f"{1e3 * first:.0f}", f"{1e6 * spawn:.0f}", f"{1e6 * each:.0f}"
                    yield [kind, count, *times, f"{each / spawn:.2f}", f"{1 / each:,.0f}"]

    columns = "oracle | jobs | first, ms | bare spawn, us | query, us | ratio"
    yield Table(f"{columns} | queries a second", rows())
    yield f"worst ratio of a script {worst:.3f}, target at most {MAX_RATIO}"
