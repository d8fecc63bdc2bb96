#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""How long a person waits for nubbin to start.

    bench/start.py [--rounds N]

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
from collections.abc import Callable
from functools import partial
from pathlib import Path

import command_line
from nubbin_bench.markdown import print_table

#: Runs of the test before the first query: twice the input, once the empty input.
CHECKS = 3
_COMMANDS = {
    "bare Python": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "nubbin --help": [*command_line.NUBBIN, "--help"],
    "nubbin reduce --help": [*command_line.NUBBIN, "reduce", "--help"],
    "nubbin --version": [*command_line.NUBBIN, "--version"],
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
        fifo, test, source = (Path(folder, name) for name in ("runs", "test.sh", "small.c"))
        os.mkfifo(fifo)
        runs = os.open(fifo, os.O_RDWR)  # so that neither side waits for the other to open it
        test.write_text(f'#!/bin/sh\nprintf x >"{fifo}"\ngrep -q used "$1"\n')
        test.chmod(0o755)
        source.write_text(_INPUT)
        command = [*command_line.NUBBIN, "reduce", "--quiet", str(test), str(source)]
        started = time.perf_counter()
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as popen:
            for _ in range(number):
                os.read(runs, 1)
            seconds = time.perf_counter() - started
            popen.send_signal(signal.SIGINT)
        os.close(runs)
    return seconds


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="how often each starts")
    options = parser.parse_args()
    # Compiled modules are there after an installation; the first round writes them if not.
    unwanted = "PYTHONDONTWRITEBYTECODE"
    environment = {name: value for name, value in os.environ.items() if name != unwanted}
    measures: dict[str, Callable[[dict[str, str]], float]] = {
        **{name: partial(to_the_end, command) for name, command in _COMMANDS.items()},
        "first run of the test": partial(to_run, 1),
        "first query": partial(to_run, CHECKS + 1),
    }
    best = dict.fromkeys(measures, float("inf"))
    for _ in range(options.rounds):
        for name, measure in measures.items():
            best[name] = min(best[name], measure(environment))
    bare = best["bare Python"]
    print_table(
        ["until", "wall, ms", "more than Python, ms", "times Python"],
        [
            [name, f"{1e3 * seconds:.0f}", f"{1e3 * (seconds - bare):.0f}", f"{seconds / bare:.1f}"]
            for name, seconds in best.items()
        ],
    )


if __name__ == "__main__":
    main()
