"""The test suite on an over-committed machine: many copies of it at once.

    bench/run.py reliability/overload [--copies N] [--workers W] [--burners B] [PYTEST ARGUMENT ...]

N copies start together, each with W processes (pytest-xdist). B burners keep a core busy each, and
W more start for each copy that ends, so that the load stays the same to the end. A copy that ends
prints its last line, or all its output if it failed. The last line of all is the load per core
while all copies ran, sampled every few seconds. Exits with 1 if a copy failed.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from harness.experiment import BENCH
from nubbin.oracles.isolation.candidate_files import remove

PERIOD_S = 5.0  # between two samples of the load


def experiment(
    arguments: Sequence[str] = (), *, copies: int = 10, workers: int = 4, burners: int = 0
) -> Iterator[str]:
    failed, loads = 0, []
    with ExitStack() as stack:
        name = tempfile.mkdtemp(prefix="overload-")
        stack.callback(remove, name)  # tests that were ended leave folders a thousand levels deep
        for _ in range(burners):
            burn(stack)
        places = (Path(name, str(number)) for number in range(copies))
        running = [Copy(stack, place, workers, arguments) for place in places]
        while running:
            time.sleep(PERIOD_S)
            if len(running) == copies:
                loads.append(os.getloadavg()[0] / (os.cpu_count() or 1))
            for copy in [each for each in running if each.process.poll() is not None]:
                running.remove(copy)
                for _ in range(workers if running else 0):
                    burn(stack)
                failed += copy.process.returncode != 0
                yield copy.report()
    load = (
        f"{statistics.median(loads):.0f} a core, {max(loads):.0f} at most" if loads else "unknown"
    )
    yield f"{failed} of {copies} copies failed; the load was {load}"
    sys.exit(failed > 0)


class Copy:
    """A copy of the suite, with a folder of its own for the files of the tests."""

    def __init__(self, stack: ExitStack, folder: Path, workers: int, more: Sequence[str]):
        self.log = folder.with_suffix(".log")
        line = [sys.executable, "-m", "pytest", "--numprocesses", str(workers)]
        with self.log.open("wb") as log:
            self.process = start(
                stack,
                [*line, "--dist", "worksteal", "--basetemp", str(folder), *more],
                log.fileno(),
            )

    def report(self) -> str:
        """Return the last line of the copy, or all lines if it failed."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines if self.process.returncode else lines[-1:])


def burn(stack: ExitStack) -> None:
    """Keep a core busy until the end."""
    start(stack, [sys.executable, "-c", "while True: pass"], subprocess.DEVNULL)


def start(stack: ExitStack, line: list[str], output: int) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own; the group is killed at the end."""
    process = subprocess.Popen(
        line,
        cwd=BENCH.parent,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        process_group=0,
    )
    stack.callback(end, process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the group of a process, if the process still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
