"""Attacks on a Dask cluster of two worker processes on this machine.

    bench/run.py reliability/cluster [--times N] [--seed N]

`--page` puts the rows into docs/reliability.md.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator

from harness.experiment import Table
from reliability.attacks import COLUMNS, MARKED, PAGE
from reliability.scene import STANDARD, scene, told, undisturbed

_CLUSTER = """
import os
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]
        print(cluster.scheduler_address, os.getpid(), *workers, flush=True)
        input()
"""


def experiment(*, times: int = 10, seed: int = 1) -> Iterator[Table]:
    yield Table(COLUMNS, rows(times, seed), page=PAGE, of=MARKED)


def rows(times: int, seed: int) -> Iterator[list[object]]:
    """Yield a row for each kind of process that is killed."""
    expected, _, faults = undisturbed(STANDARD, "command", [])
    assert not faults, faults
    rng = random.Random(seed)
    for name, whom in (
        ("kill -9 of a worker of a cluster of two", "worker"),
        ("kill -9 of the scheduler, then `nubbin resume` without it", "scheduler"),
    ):
        found = [told(name, _lost(whom, rng, expected)) for _ in range(times)]
        yield [name, times, times * (whom == "scheduler"), sum(map(bool, found))]


def _lost(whom: str, rng: random.Random, expected: dict[str, bytes]) -> list[str]:
    """Run in a cluster, and kill a worker or the scheduler after some of the answers."""
    with scene(STANDARD, "command", []) as made:
        program = made.root / "cluster.py"
        program.write_text(_CLUSTER)
        with subprocess.Popen(
            [sys.executable, program],
            # What Dask leaves there is not nubbin's.
            env=made.environment | {"DASK_TEMPORARY_DIRECTORY": str(made.root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as cluster:
            assert cluster.stdout is not None
            address, scheduler, *workers = cluster.stdout.readline().split()
            run = made.start("reduce", "--verbose", "--cluster", address)
            assert run.stderr is not None
            for _ in range(rng.randrange(3, 60)):
                run.stderr.readline()
            victim = scheduler if whom == "scheduler" else rng.choice(workers)
            os.kill(int(victim), signal.SIGKILL)
            made.end(run)
            cluster.communicate("\n")  # waits until the last of its processes is gone
        # Goes on without the scheduler; removes what the killed worker left, if the run has ended.
        made.run("resume", "-q")
        made.check(expected)
        return made.faults
