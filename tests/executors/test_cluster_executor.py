"""Runs in a real Dask cluster of processes on this machine."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import dask
import pytest
from distributed import LocalCluster

from faults import ASKER, PATIENCE_S, Tether, script
from nubbin.executors import cluster_executor as module
from nubbin.executors.cluster_executor import ClusterExecutor
from nubbin.executors.remote_oracle import RemoteOracle
from nubbin.executors.threads import Threads
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.reduction.events import Event
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin_core.search.problem import Answered

TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(9))
CRASH = "grep -q 'f3.*boom' input.c && grep -q f7 input.c"
UNIT = "tokens"  # a few dozen queries, each of which costs a cluster its way there and back
NUBBIN = [sys.executable, "-m", "nubbin"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def cluster_of(workers: int) -> LocalCluster:
    """Return a cluster of processes with a thread each, to be closed by a `with` block."""
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two workers; the scheduler gives a task up after one worker has died of it.

    On a busy machine Dask may take a worker that dies as it starts for one that was told to close,
    and start no other: adapting, it does.
    """
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_of(2) as cluster,
    ):
        cluster.adapt(minimum=2, maximum=2)
        yield cluster


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "input.c"
    path.parent.mkdir()
    path.write_bytes(TEXT)
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "input.c").write_bytes(TEXT)
    return reduce(script(folder, CRASH), folder / "input.c", jobs=1, smallest=UNIT).data


def test_the_same_as_here(
    tmp_path: Path, source: Path, cluster: LocalCluster, undisturbed: bytes
) -> None:
    test = script(tmp_path, CRASH)
    there = reduce(test, source, cluster=cluster.scheduler_address, smallest=UNIT)
    here = reduce(test, source, jobs=1, smallest=UNIT, output=tmp_path / "here.c")
    assert there.data == here.data == undisturbed
    assert there.by_kind == here.by_kind
    assert there.minimal


def test_a_folder(tmp_path: Path, source: Path, cluster: LocalCluster) -> None:
    (source.parent / "more.txt").write_bytes(b"more\n" * 100)
    test = script(tmp_path, "grep -q more work/more.txt && grep -q f7 work/input.c")
    result = reduce(test, source.parent, cluster=cluster.scheduler_address, jobs=1, smallest=UNIT)
    assert result.files == {"work/input.c": b"f7", "work/more.txt": b"more"}


def test_a_worker_that_dies_costs_time_only(
    tmp_path: Path, source: Path, cluster: LocalCluster, undisturbed: bytes
) -> None:
    log = tmp_path / "log"
    log.touch()
    once = f"echo >>{log}; [ $(wc -l <{log}) = 9 ] && kill -9 {ASKER} && exit 0"
    test = script(tmp_path, f"{once}\n{CRASH}")
    result = reduce(test, source, cluster=cluster.scheduler_address, smallest=UNIT)
    assert len(log.read_text()) > 9
    assert (result.data, result.reason) == (undisturbed, "fixpoint")


@pytest.mark.nightly
def test_a_call_that_ends_every_worker_is_given_up(cluster: LocalCluster) -> None:
    with ClusterExecutor(cluster.scheduler_address) as executor:
        with pytest.raises(BrokenExecutor, match="die whenever"):
            executor.submit(os._exit, 1).result(PATIENCE_S)
        assert executor.submit(abs, -1).result(PATIENCE_S) == 1


def test_a_cancelled_query_is_stopped_in_its_worker(tmp_path: Path, cluster: LocalCluster) -> None:
    with (
        Tether(tmp_path) as tether,
        ClusterExecutor(cluster.scheduler_address) as there,
        Threads(2) as threads,
    ):
        test = script(tmp_path, f"trap '' TERM; exec 9> {tether.path}; echo up >&9; sleep 1000")
        spec = OracleSpec(CommandTest.of(test), "small.c")
        future = threads.submit(RemoteOracle(there, spec, {}, None), {"small.c": b"x"})
        assert tether.read() == b"up\n"
        assert future.cancel()
        tether.assert_cut()
        assert wait([future], PATIENCE_S).done == {future}


@pytest.mark.nightly
def test_the_end_of_the_driver_stops_its_queries(tmp_path: Path, cluster: LocalCluster) -> None:
    with Tether(tmp_path) as tether:
        test = script(tmp_path, f"exec 9> {tether.path}; echo up >&9; sleep 1000")
        source = tmp_path / "input.c"
        source.write_bytes(TEXT)
        options = ["--quiet", "--jobs", "1", "--cluster", cluster.scheduler_address]
        line = [*NUBBIN, "reduce", *options, str(test), str(source)]
        with subprocess.Popen(line, env=ENVIRONMENT) as driver:
            assert tether.read() == b"up\n"
            driver.send_signal(signal.SIGKILL)
        tether.assert_cut()


@pytest.mark.nightly
def test_ctrl_c_stops_processes_of_this_machine_too(tmp_path: Path, source: Path) -> None:
    with Tether(tmp_path) as tether:
        test = script(tmp_path, f"exec 9> {tether.path}; echo up >&9; sleep 1000")
        line = [*NUBBIN, "reduce", "--cluster", "local:1", str(test), str(source)]
        with subprocess.Popen(
            line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, process_group=0
        ) as driver:
            assert tether.read() == b"up\n"
            os.killpg(driver.pid, signal.SIGINT)
            _, errors = driver.communicate(timeout=PATIENCE_S)
        tether.assert_cut()
    assert driver.returncode == 130
    assert errors.splitlines()[-1] == "nubbin: interrupted; nothing was written."


@pytest.mark.nightly
def test_a_worker_that_joins_is_used(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: bytes
) -> None:
    monkeypatch.setattr(module, "_COUNT_PERIOD_S", 0.01)
    log = tmp_path / "log"
    test = script(tmp_path, f"echo {ASKER} >>{log}\n{CRASH}")
    with cluster_of(1) as cluster:
        asked = 0

        def join(event: Event) -> None:
            nonlocal asked
            asked += isinstance(event, Answered)
            if asked == 3:
                cluster.scale(2)
                cluster.wait_for_workers(2, timeout=PATIENCE_S)

        address = cluster.scheduler_address
        result = reduce(test, source, cluster=address, smallest=UNIT, observers=[join])
    assert result.data == undisturbed
    assert len(set(log.read_text().split())) == 2


SCHEDULER = """
import os
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(os.getpid(), cluster.scheduler_address, flush=True)
        input()
"""


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[int, str]]:
    """Run a scheduler with one worker in a process; yield its id and the address."""
    program = folder / "scheduler.py"
    program.write_text(SCHEDULER)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, program], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout
        try:
            pid, address = process.stdout.readline().decode().split()
            yield int(pid), address
        finally:
            process.send_signal(signal.SIGCONT)


def test_a_run_that_lost_its_scheduler_goes_on_here(
    tmp_path: Path, source: Path, undisturbed: bytes
) -> None:
    with scheduler(tmp_path) as (pid, address):
        log = tmp_path / "log"
        test = script(tmp_path, f"echo >>{log}; [ $(wc -l <{log}) = 20 ] && kill -9 {pid}\n{CRASH}")
        run = tmp_path / "run"
        options = [
            "--timeout",
            "10m",
            "--smallest",
            UNIT,
            "--run-dir",
            str(run),
            "--cluster",
            address,
        ]
        ended = subprocess.run(
            [*NUBBIN, "reduce", *options, test, source],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert ended.returncode == 130, ended.stderr
    assert "the workers were lost" in ended.stderr
    assert f"nubbin resume {run}" in ended.stderr.replace("\n", " ")
    assert "Traceback" not in ended.stderr
    assert len(source.with_name("input.reduced.c").read_bytes()) < len(TEXT)
    assert resume(run).data == undisturbed


def test_only_we_tell_of_a_lost_scheduler(cluster: LocalCluster) -> None:
    """Dask would log a traceback, or not, by what it was doing."""
    log = logging.getLogger("distributed.batched")
    assert not log.disabled
    with ClusterExecutor(cluster.scheduler_address):
        assert log.disabled
    assert not log.disabled


def test_a_scheduler_that_ends_before_the_run(tmp_path: Path, source: Path) -> None:
    with scheduler(tmp_path) as (pid, address):
        test = script(tmp_path, f"kill -9 {pid}")
        ended = subprocess.run(
            [*NUBBIN, "reduce", "--cluster", address, test, source],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert ended.returncode == 1
    gone = f"The workers that run the test were lost: the scheduler at {address} is gone."
    checking, told = ended.stderr.splitlines()
    assert checking.startswith("nubbin: checking the test ...")
    assert told.startswith(f"nubbin: {gone} The run had not started."), told


def test_a_scheduler_that_falls_silent(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: bytes
) -> None:
    stopped = tmp_path / "stopped"
    os.mkfifo(stopped)

    def hurry() -> None:
        stopped.read_bytes()
        monkeypatch.setattr(module, "_COUNT_PERIOD_S", 0.01)
        monkeypatch.setattr(module, "_CONNECT_TIMEOUT_S", 0.1)

    Thread(target=hurry, daemon=True).start()
    with scheduler(tmp_path) as (pid, address):
        log = tmp_path / "log"
        stop = f"kill -STOP {pid} && echo >{stopped}"
        test = script(tmp_path, f"echo >>{log}; [ $(wc -l <{log}) = 9 ] && {stop}\n{CRASH}")
        run = tmp_path / "run"
        result = reduce(test, source, cluster=address, smallest=UNIT, record=run)
    assert result.reason == "workers-lost"
    assert result.cause == f"the scheduler at {address} does not answer any more"
    assert resume(run).data == undisturbed


@pytest.mark.nightly
def test_a_cluster_without_workers_for_a_while(
    tmp_path: Path, source: Path, undisturbed: bytes
) -> None:
    with cluster_of(0) as cluster:
        answered = 0

        def leave(event: Event) -> None:
            nonlocal answered
            answered += isinstance(event, Answered)
            if answered == 3:
                cluster.scale(0)
                while cluster.scheduler.workers:
                    time.sleep(0.01)  # the scheduler is a thread of ours
                cluster.scale(1)

        test = script(tmp_path, CRASH)
        with Threads(2) as thread:
            address = cluster.scheduler_address
            running = thread.submit(
                reduce, test, source, cluster=address, smallest=UNIT, observers=[leave]
            )
            cluster.scale(1)
            result = running.result(PATIENCE_S)
    assert (result.data, result.reason) == (undisturbed, "fixpoint")
