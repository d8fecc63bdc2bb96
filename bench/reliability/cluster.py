"""Attacks on a Dask cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

from reliability.runs import Attack, Peace
from reliability.scene import Scene

_CLUSTER = """
import os
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]
        print(cluster.scheduler_address, os.getpid(), *workers, flush=True)
        input()
"""


def lost(whom: str) -> Attack:
    """Return the attack by kill -9 of a worker, or of the scheduler, after some of the answers."""

    def attack(scene: Scene, peace: Peace, rng: random.Random) -> bool:
        program = scene.root / "cluster.py"
        program.write_text(_CLUSTER)
        with subprocess.Popen(
            [sys.executable, program],
            # What Dask leaves there is not nubbin's.
            env=scene.environment | {"DASK_TEMPORARY_DIRECTORY": str(scene.root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as cluster:
            assert cluster.stdout is not None
            address, scheduler, *workers = cluster.stdout.readline().split()
            run = scene.start("reduce", "--verbose", "--cluster", address)
            assert run.stderr is not None
            for _ in range(rng.randrange(3, 60)):
                run.stderr.readline()
            os.kill(int(scheduler if whom == "scheduler" else rng.choice(workers)), signal.SIGKILL)
            scene.end(run)
            cluster.communicate("\n")  # waits until the last of its processes is gone
        # Goes on without the scheduler; removes what the killed worker left, if the run has ended.
        scene.run("resume", "-q")
        scene.check(peace.files)
        return whom == "scheduler"

    return attack


ATTACKS: dict[str, Attack] = {
    "kill -9 of a worker of a cluster of two": lost("worker"),
    "kill -9 of the scheduler, then `nubbin resume` without it": lost("scheduler"),
}
