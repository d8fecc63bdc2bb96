"""How long a person waits for nubbin to start.

    bench/run.py speed/start [--rounds N]

Each round starts bare Python, numpy (which every reduction needs) and each command once, one after
the other, so that other work on the machine meets all of them; the least time of each counts. Such
work makes long commands slower than short ones, so the ratio to bare Python is an upper bound.

- *wall, ms*: from the start of the process to its end, or to the run of the test that is named.
- *more than Python, ms*: what nubbin adds to that of bare Python.
- *times Python*: the ratio of the two.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from harness.experiment import Table
from harness.reductions import CHECKS, NUBBIN, executable

_COMMANDS = {
    "bare Python": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "nubbin --help": [*NUBBIN, "--help"],
    "nubbin reduce --help": [*NUBBIN, "reduce", "--help"],
    "nubbin --version": [*NUBBIN, "--version"],
}
_INPUT = "int main(void) {\n  int used = 1;\n  int other = 2;\n  return used;\n}\n"


def to_the_end(command: list[str], environment: dict[str, str]) -> float:
    """Return the seconds that a command takes."""
    started = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def to_run(number: int, environment: dict[str, str]) -> float:
    """Return the seconds from the start of `nubbin reduce` to a run of its test, from 1 on."""
    with tempfile.TemporaryDirectory() as folder:
        fifo, source = Path(folder, "runs"), Path(folder, "small.c")
        os.mkfifo(fifo)
        runs = os.open(fifo, os.O_RDWR)  # so that neither side waits for the other to open it
        text = f'#!/bin/sh\nprintf x >"{fifo}"\ngrep -q used "$1"\n'
        test = executable(Path(folder, "test.sh"), text)
        source.write_text(_INPUT)
        command = [*NUBBIN, "reduce", "--quiet", str(test), str(source)]
        started = time.perf_counter()
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as popen:
            for _ in range(number):
                os.read(runs, 1)
            seconds = time.perf_counter() - started
            popen.send_signal(signal.SIGINT)
        os.close(runs)
    return seconds


def experiment(*, rounds: int = 20) -> Iterator[Table]:
    # Compiled modules are there after an installation; the first round writes them if not.
    unwanted = "PYTHONDONTWRITEBYTECODE"
    environment = {name: value for name, value in os.environ.items() if name != unwanted}
    measures: dict[str, Callable[[dict[str, str]], float]] = {
        **{name: partial(to_the_end, command) for name, command in _COMMANDS.items()},
        "first run of the test": partial(to_run, 1),
        "first query": partial(to_run, CHECKS + 1),
    }
    best = dict.fromkeys(measures, float("inf"))
    for _ in range(rounds):
        for name, measure in measures.items():
            best[name] = min(best[name], measure(environment))
    bare = best["bare Python"]
    rows = (
        [name, f"{1e3 * seconds:.0f}", f"{1e3 * (seconds - bare):.0f}", f"{seconds / bare:.1f}"]
        for name, seconds in best.items()
    )
    yield Table("until | wall, ms | more than Python, ms | times Python", rows)
