"""Executors keep their promises to those who wait, and leave nothing that they ran."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, wait
from pathlib import Path
from typing import Any

import pytest

from faults import PATIENCE_S, Tether, names, script
from nubbin.executors.threads import Threads
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin_core.pool import Pool
from nubbin_core.verdict import Verdict

CANDIDATE = {"small.c": b"x"}


def hanging(folder: Path, tether: Tether) -> Path:
    return script(folder, f"trap '' TERM INT; exec 9> {tether.path}; echo up >&9; sleep 1000")


@pytest.fixture(params=[Pool, lambda: Threads(2)], ids=["inline", "local"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with request.param() as executor:
        yield executor


def test_results_and_exceptions_are_the_futures(executor: Executor) -> None:
    assert executor.submit(divmod, 7, 2).result(PATIENCE_S) == (3, 1)
    failed = executor.submit(divmod, 7, 0)
    with pytest.raises(ZeroDivisionError):
        failed.result(PATIENCE_S)
    assert list(executor.map(abs, [-1, 2, -3])) == [1, 2, 3]


def test_inline_runs_here_and_now() -> None:
    ran = []
    future = Pool().submit(lambda: ran.append(threading.current_thread()))
    assert ran == [threading.current_thread()]
    assert future.done()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Pool().submit(interrupted)


def test_local_runs_as_many_at_once_as_there_are_jobs() -> None:
    meeting = threading.Barrier(3)
    with Threads(3) as executor:
        futures = [executor.submit(meeting.wait, PATIENCE_S) for _ in range(3)]
        assert sorted(future.result(PATIENCE_S) for future in futures) == [0, 1, 2]


@pytest.mark.parametrize("width", [1, 3])
def test_each_call_comes_in_order_and_what_nobody_wants_is_cancelled(width: int) -> None:
    begun: list[int] = []
    hangs = threading.Event()

    def call(item: int) -> int:
        begun.append(item)
        return item if item < 2 else hangs.wait(PATIENCE_S)

    with Threads(width) as pool:
        answers = pool.each(call, range(100))
        assert [next(answers), next(answers)] == [0, 1]
        answers.close()
        hangs.set()
    assert sorted(begun) == list(range(len(begun)))
    assert 2 <= len(begun) <= 1 + width, "as many as there are workers, ahead of what is wanted"


def test_each_makes_several_calls_at_once() -> None:
    together = threading.Barrier(3, timeout=PATIENCE_S)
    with Threads(3) as pool:
        assert len(list(pool.each(lambda _: together.wait(), range(6)))) == 6


def test_no_call_after_shutdown() -> None:
    executor = Threads(2)
    executor.shutdown()
    executor.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(abs, 1)


def test_shutdown_waits_for_what_is_queued() -> None:
    gate = threading.Event()
    executor = Threads(2)
    calls = [executor.submit(gate.wait, PATIENCE_S) for _ in range(3)]
    executor.shutdown(wait=False, cancel_futures=False)
    gate.set()
    executor.shutdown(cancel_futures=False)
    assert [call.result(0) for call in calls] == [True] * 3


def test_a_running_query_is_cancelled(tmp_path: Path, tether: Tether) -> None:
    with (
        LocalOracle(
            OracleSpec(CommandTest.of(hanging(tmp_path, tether)), "small.c"), None, folder=tmp_path
        ) as ask,
        Threads(2) as executor,
    ):
        future = executor.submit(ask, CANDIDATE)
        assert tether.read() == b"up\n"
        assert future.cancel()
        assert future.cancelled()
        with pytest.raises(CancelledError):
            future.result(0)
        assert wait([future], PATIENCE_S).done == {future}
        tether.assert_cut()
        # The thread is free again, and its token is a new one.
        assert executor.submit(abs, -1).result(PATIENCE_S) == 1
    assert names(tmp_path) == ["test.sh", "tether"]


def test_a_queued_call_is_cancelled_and_never_made() -> None:
    gate = threading.Event()
    made: list[int] = []
    with Threads(2) as executor:
        first, second = (executor.submit(gate.wait, PATIENCE_S) for _ in range(2))
        third = executor.submit(made.append, 1)
        every: list[Future[Any]] = [first, second, third]
        assert third.cancel()
        gate.set()
        assert wait(every, PATIENCE_S).not_done == set()
        assert not first.cancel()
    assert made == []
    assert third.cancelled()
    assert not first.cancelled()


def test_a_call_that_cannot_be_stopped_only_loses_its_result() -> None:
    gate, begun = threading.Event(), threading.Event()

    def call() -> bool:
        begun.set()
        return gate.wait(PATIENCE_S)

    with Threads(2) as executor:
        future = executor.submit(call)
        assert begun.wait(PATIENCE_S)
        assert future.cancel()
        assert wait([future], 0).not_done == {future}
        gate.set()
        assert wait([future], PATIENCE_S).done == {future}
    assert future.cancelled()


def test_shutdown_kills_what_runs(tmp_path: Path, tether: Tether) -> None:
    with LocalOracle(OracleSpec(CommandTest.of(hanging(tmp_path, tether)), "small.c"), None) as ask:
        executor = Threads(2)
        futures = [executor.submit(ask, CANDIDATE) for _ in range(4)]
        assert tether.read().startswith(b"up\n")
        executor.shutdown()
        tether.assert_cut(None)
        assert all(future.cancelled() for future in futures)


def test_an_exception_in_the_block_kills_what_runs(tmp_path: Path, tether: Tether) -> None:
    with (
        LocalOracle(OracleSpec(CommandTest.of(hanging(tmp_path, tether)), "small.c"), None) as ask,
        pytest.raises(KeyboardInterrupt),
        Threads(2) as executor,
    ):
        future = executor.submit(ask, CANDIDATE)
        assert tether.read() == b"up\n"
        raise KeyboardInterrupt
    assert future.cancelled()
    tether.assert_cut()


def test_many_threads_one_oracle(tmp_path: Path) -> None:
    test = script(tmp_path, "exec grep -q yes small.c")
    inputs = [b"yes" if number % 3 else b"no" for number in range(60)]
    with (
        LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), PATIENCE_S) as ask,
        Threads(4) as executor,
    ):
        answers = list(executor.map(lambda data: ask({"small.c": data}), inputs))
    assert [answer.verdict is Verdict.INTERESTING for answer in answers] == [
        data == b"yes" for data in inputs
    ]


DRIVER = """
import sys
from pathlib import Path
from nubbin_core.pool import Pool
from nubbin.executors.threads import Threads
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.commands.command_test import CommandTest

test, folder, how = sys.argv[1:]
oracle = LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), None, folder=Path(folder))
if how == "leaves":
    Threads(2).submit(oracle, {"small.c": b"x"})
    sys.stdin.readline()
    sys.exit(3)
with oracle, (Pool() if how == "inline" else Threads(2)) as executor:
    executor.submit(oracle, {"small.c": b"x"}).result()
"""


@pytest.mark.parametrize("how", ["inline", "local", "leaves"])
def test_the_end_of_the_driver_ends_all(tmp_path: Path, tether: Tether, how: str) -> None:
    """Ctrl-C while a query runs, or an exit that forgets about it."""
    home = tmp_path / "home"
    home.mkdir()
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, hanging(tmp_path, tether), home, how],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert tether.read() == b"up\n"
    if how != "leaves":
        driver.send_signal(signal.SIGINT)
    _, errors = driver.communicate(b"\n", timeout=PATIENCE_S)
    assert driver.returncode == (3 if how == "leaves" else -signal.SIGINT)
    assert errors.count(b"Traceback") == (how != "leaves"), errors.decode()
    assert b"ResourceWarning" not in errors
    tether.assert_cut()
    assert names(home) == []


FORGETFUL = """
import threading
from nubbin.executors.threads import Threads
from nubbin.oracles.processes import cancellation

def call():
    with cancellation.current().on_cancel(lambda: print("stopped", flush=True)):
        started.set()
        threading.Event().wait()

started = threading.Event()
Threads(2).submit(call)
started.wait()
"""


def test_the_exit_of_the_interpreter_stops_calls() -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORGETFUL],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert (run.stdout, run.stderr) == (b"stopped\n", b"")
