#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Do results survive? Runs are killed at random instants and go on; tests misbehave; disks fill.

Prints the tables of docs/reliability.md. Whatever happens, the final bytes must be those of an
undisturbed run, the input as it was, and no process and no temporary file left behind.

    bench/reliability.py [--kills N] [--seed N] [--only kills|tests|places]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fault_places

TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(40))
BUG = "grep -q 'f31.*boom' input.c && grep -q f7 input.c"
NUBBIN = [sys.executable, "-m", "nubbin"]

#: What a test does besides its duty, on every third candidate or so, and what limits it.
MISDEEDS = {
    "sleeps for ever": ("$odd && sleep 1000000", ["--timeout", "0.5"]),
    "ignores SIGTERM": ("trap '' TERM; $odd && while :; do :; done", ["--timeout", "0.5"]),
    "leaves a child behind": ("$odd && sleep 1000000 >/dev/null 2>&1 &", []),
    "daemonises": ("$odd && setsid sh -c 'sleep 1000000 & exit' >/dev/null 2>&1", []),
    "allocates without end": (
        "$odd && python3 -c 'x = []\nwhile True: x.append(bytes(1 << 24))' 2>/dev/null",
        ["--memory", "300M", "--timeout", "20"],
    ),
    "forks without end": ("$odd && for i in $(seq 5000); do setsid sleep 1000 & done; wait", []),
    "writes without end": ("$odd && cat /dev/zero >big", []),
    "deletes its folder": ('$odd && rm -rf "$PWD" && exit 1', []),
    "changes the candidate": ("$odd && echo x >>input.c && exit 1", []),
    "prints binary without end": ("$odd && head -c 20000000 /dev/urandom && exit 1", []),
    "leaves files behind": ("mkdir -p a/b/c; echo x >a/b/c/d; chmod 0 a/b/c", []),
}
#: True for the same candidates in every run, and never for what the final result goes through.
ODD = "odd=false; [ $(($(cksum <input.c | cut -c1-6) % 3)) = 0 ] && ! { BUG; } && odd=true\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="how often a run is killed (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("kills", "tests", "places"))
    options = parser.parse_args()
    expected, seconds = undisturbed()
    for name, part in {"kills": kills, "tests": tests, "places": places}.items():
        if options.only in (name, None):
            part(options, expected, seconds)


def kills(options: argparse.Namespace, expected: bytes, seconds: float) -> None:
    head()
    for name, number in (
        ("kill -9 at a random instant", signal.SIGKILL),
        ("Ctrl-C", signal.SIGINT),
    ):
        rng = random.Random(options.seed)
        outcomes = [
            killed(number, rng.uniform(0.1, seconds), expected) for _ in range(options.kills)
        ]
        row(f"{name}, then `nubbin resume`", outcomes)
    rng = random.Random(options.seed)
    for name, whom in (
        ("kill -9 of a worker of a cluster of two", "worker"),
        ("kill -9 of the scheduler, then `nubbin resume` without it", "scheduler"),
    ):
        row(name, [lost(whom, rng, expected) for _ in range(max(1, options.kills // 4))])


def tests(options: argparse.Namespace, expected: bytes, seconds: float) -> None:
    head()
    for name, (misdeed, limits) in MISDEEDS.items():
        row(f"a test that {name}", [misbehaving(misdeed, limits, expected)])


def places(options: argparse.Namespace, expected: bytes, seconds: float) -> None:
    fault_places.rows(TEXT, BUG, expected, max(1, options.kills // 2), options.seed)


def head() -> None:
    print("| what happens | times | same bytes | input intact | nothing left |")
    print("| --- | ---: | ---: | ---: | ---: |")


def row(name: str, outcomes: list[tuple[bool, bool, bool]]) -> None:
    counts = (str(sum(column)) for column in zip(*outcomes, strict=True))
    print("| " + " | ".join([name, str(len(outcomes)), *counts]) + " |", flush=True)


@contextmanager
def place(test: str) -> Iterator[tuple[Path, Path, Path]]:
    """Yield a folder for temporary files, an input and a test, all in a place of their own."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        source, script = Path(name, "input.c"), Path(name, "test.sh")
        source.write_bytes(TEXT)
        script.write_text(f"#!/bin/sh\n{test}\n")
        script.chmod(0o755)
        temporary = Path(name, "tmp")
        temporary.mkdir()
        yield temporary, source, script


def undisturbed() -> tuple[bytes, float]:
    with place(BUG) as (temporary, source, script):
        started = time.monotonic()
        reduce(temporary, source, script)
        return result(source), time.monotonic() - started


def reduce(temporary: Path, source: Path, script: Path, *options: str) -> None:
    line = [*NUBBIN, "reduce", "--quiet", *options, str(script), str(source)]
    subprocess.run(line, env=environment(temporary), check=False, capture_output=True)


def killed(number: signal.Signals, after: float, expected: bytes) -> tuple[bool, bool, bool]:
    with place(BUG) as (temporary, source, script):
        line = [*NUBBIN, "reduce", "--quiet", str(script), str(source)]
        with subprocess.Popen(line, env=environment(temporary), stdout=subprocess.DEVNULL) as run:
            time.sleep(after)
            run.send_signal(number)
        before = len(list(temporary.iterdir()))
        line = [*NUBBIN, "resume", "--quiet"]
        env = environment(temporary)
        resumed = subprocess.run(line, cwd=source.parent, env=env, check=False, capture_output=True)
        if resumed.returncode:  # killed before there was anything to go on with, or at the end
            reduce(temporary, source, script)
        left = len(list(temporary.iterdir()))
        # What kill -9 left behind cannot be removed by the one that was killed.
        tidy = left <= (before if number == signal.SIGKILL else 0)
        return result(source) == expected, source.read_bytes() == TEXT, tidy


CLUSTER = """
import os
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]
        print(cluster.scheduler_address, os.getpid(), *workers, flush=True)
        input()
"""


def lost(whom: str, rng: random.Random, expected: bytes) -> tuple[bool, bool, bool]:
    """Run in a cluster and kill a worker, or the scheduler, when some of the answers are there."""
    with place(BUG) as (temporary, source, script):
        program = temporary.with_name("cluster.py")
        program.write_text(CLUSTER)
        env, pipe = environment(temporary), subprocess.PIPE
        with subprocess.Popen(
            [sys.executable, program],
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as cluster:
            assert cluster.stdout
            address, scheduler, *workers = cluster.stdout.readline().split()
            line = [*NUBBIN, "reduce", "--verbose", "--cluster", address, str(script), str(source)]
            with subprocess.Popen(line, env=env, stdout=pipe, stderr=pipe, text=True) as run:
                assert run.stderr
                for _ in range(rng.randrange(3, 60)):
                    run.stderr.readline()
                victim = scheduler if whom == "scheduler" else rng.choice(workers)
                os.kill(int(victim), signal.SIGKILL)
                run.communicate()
            cluster.communicate("\n")  # until the last of its processes has gone
        if whom == "scheduler":
            line = [*NUBBIN, "resume", "--quiet"]
            subprocess.run(line, cwd=source.parent, env=env, check=False, capture_output=True)
        tidy = not processes(temporary)
        return result(source) == expected, source.read_bytes() == TEXT, tidy


def misbehaving(misdeed: str, limits: list[str], expected: bytes) -> tuple[bool, bool, bool]:
    with place(ODD.replace("BUG", BUG) + f"{misdeed}\n{BUG}") as (temporary, source, script):
        reduce(temporary, source, script, *limits)
        left = list(temporary.iterdir()) or processes(temporary)
        return result(source) == expected, source.read_bytes() == TEXT, not left


def processes(temporary: Path) -> list[int]:
    """Return the processes that have something to do with a folder for temporary files."""
    sign, found = b"TMPDIR=" + os.fsencode(temporary), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and sign in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def environment(temporary: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(temporary)}


def result(source: Path) -> bytes:
    place = source.with_name("input.reduced.c")
    return place.read_bytes() if place.exists() else b""


if __name__ == "__main__":
    main()
