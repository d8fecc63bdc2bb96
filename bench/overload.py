#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""The test suite on an over-committed machine: many copies of it at once.

    bench/overload.py [--copies N] [--workers W] [--burners B] [PYTEST ARGUMENT ...]

N copies start together, each with W processes (pytest-xdist). B burners keep a core busy each, and
W more start for each copy that ends, so that the load stays the same to the end. A copy that ends
prints its last line, or all its output if it failed. The last line of all is the load per core
while all copies ran, sampled every few seconds. Exits with 1 if a copy failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from nubbin.oracles.isolation.candidate_files import remove

ROOT = Path(__file__).parents[1]
PERIOD_S = 5.0  # between two samples of the load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4, help="of each copy (4)")
    parser.add_argument("--burners", type=int, default=0, help="busy processes besides them (0)")
    options, more = parser.parse_known_args()
    # So that the processes are killed at the end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed, loads = 0, []
    with ExitStack() as stack:
        name = tempfile.mkdtemp(prefix="overload-")
        stack.callback(remove, name)  # tests that were ended leave folders a thousand levels deep
        for _ in range(options.burners):
            burn(stack)
        copies = [
            Copy(stack, Path(name, str(number)), options.workers, more)
            for number in range(options.copies)
        ]
        running = list(copies)
        while running:
            time.sleep(PERIOD_S)
            if len(running) == len(copies):
                loads.append(os.getloadavg()[0] / (os.cpu_count() or 1))
            for copy in [each for each in running if each.process.poll() is not None]:
                running.remove(copy)
                for _ in range(options.workers if running else 0):
                    burn(stack)
                failed += copy.process.returncode != 0
                copy.report()
    load = (
        f"{statistics.median(loads):.0f} a core, {max(loads):.0f} at most" if loads else "unknown"
    )
    print(f"{failed} of {options.copies} copies failed; the load was {load}")
    sys.exit(failed > 0)


class Copy:
    """A copy of the suite, with a folder of its own for the files of the tests."""

    def __init__(self, stack: ExitStack, folder: Path, workers: int, more: list[str]):
        self.log = folder.with_suffix(".log")
        line = [sys.executable, "-m", "pytest", "--numprocesses", str(workers)]
        with self.log.open("wb") as log:
            self.process = start(
                stack,
                [*line, "--dist", "worksteal", "--basetemp", str(folder), *more],
                log.fileno(),
            )

    def report(self) -> None:
        """Print the last line of the copy, or all lines if it failed."""
        lines = self.log.read_text(errors="replace").splitlines()
        print("\n".join(lines if self.process.returncode else lines[-1:]), flush=True)


def burn(stack: ExitStack) -> None:
    """Keep a core busy until the end."""
    start(stack, [sys.executable, "-c", "while True: pass"], subprocess.DEVNULL)


def start(stack: ExitStack, line: list[str], output: int) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own; the group is killed at the end."""
    process = subprocess.Popen(
        line, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0
    )
    stack.callback(end, process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the group of a process, if the process still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    main()
