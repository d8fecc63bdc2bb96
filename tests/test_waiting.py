"""Waits end when they should, and Ctrl-C is handled in all of them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults import PATIENCE_S
from nubbin_core import waiting
from nubbin_core.waiting import join, until


class Clock:
    """Time passes only in waits, for as long as these should take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, true_at: float):
        self.now = 0.0
        self.longest = 0.0
        self._true_at = true_at
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def wait(self, seconds: float) -> bool:
        assert seconds >= 0
        self.longest = max(self.longest, seconds)
        self.now = min(self.now + seconds, max(self.now, self._true_at))
        return self.now >= self._true_at


@given(
    true_at=st.integers(0, 1000).map(lambda n: n / 64),
    seconds=st.none() | st.integers(0, 1000).map(lambda n: n / 64),
)
def test_a_wait_takes_as_long_as_it_should(true_at: float, seconds: float | None) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        clock = Clock(monkeypatch, true_at)
        assert until(clock.wait, seconds) == (seconds is None or true_at <= seconds + 1e-9)
        end = true_at if seconds is None else min(true_at, seconds)
        assert clock.now == pytest.approx(end)
        assert clock.longest <= waiting._PERIOD_S


def test_the_last_thing_that_a_wait_returned_is_returned() -> None:
    assert until(lambda period: [3]) == [3]
    assert until(lambda period: [], 0) == []


def test_join_waits_for_the_end_of_a_thread() -> None:
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait, args=[PATIENCE_S])
    thread.start()
    gate.set()
    join(thread)
    assert not thread.is_alive()


#: Waits in the main thread while Ctrl-C arrives in another one, which does not wake the main one:
#: what happens now and then when it arrives just before the wait begins. It is sent when the main
#: thread has stood still for a while; sooner would do no harm, but test nothing.
DRIVER = """
import os, signal, subprocess, sys, threading, time
from concurrent.futures import Future
from pathlib import Path

from nubbin.executors.threads import Threads
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.executors.remote_oracle import RemoteOracle
from nubbin.oracles.processes.process import wait_no_reap
from nubbin.oracles.processes.line_child import LineChild
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin_core.pool import PatientThreads
from nubbin_core.search.speculation import InFlight

never = threading.Event()
SILENT = ["sh", "-c", "while read line; do :; done"]  # ends with us

def in_flight():
    waits = InFlight(PatientThreads(2))
    waits.ask("key", lambda candidate: never.wait(), "candidate")
    next(waits.answers())

def shutdown():
    executor = Threads(2)
    executor.submit(never.wait)
    executor.shutdown(cancel_futures=False)

def result():
    Threads(2).submit(never.wait).result()

def exception():
    Threads(2).submit(never.wait).exception()

def exit():
    wait_no_reap(child.pid, None)

def exit_in_time():
    wait_no_reap(child.pid, 1e6)

def line():
    LineChild(SILENT, folder="/", environment=os.environb, max_bytes=9).ask(b"x", None)

class Silent(Threads):
    def submit(self, call, *arguments):
        return Future()

def remote():
    spec = OracleSpec(CommandTest.of(Path("/bin/true")), "small.c")
    RemoteOracle(Silent(2), spec, {}, None)({"small.c": b"x"})

def interrupt():
    before, still = None, 0
    while still < 5:
        frame = sys._current_frames()[main]
        now = frame, frame.f_lasti
        still = still + 1 if now == before else 0
        before = now
        time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

main = threading.get_ident()
child = subprocess.Popen(SILENT, stdin=subprocess.PIPE)
threading.Thread(target=interrupt, daemon=True).start()
try:
    globals()[sys.argv[1]]()
except KeyboardInterrupt:
    print("heard", flush=True)
finally:
    os._exit(0)
"""


@pytest.mark.parametrize(
    "wait",
    ["in_flight", "shutdown", "result", "exception", "exit", "exit_in_time", "line", "remote"],
)
def test_ctrl_c_that_another_thread_received_is_heard(wait: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", DRIVER, wait],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert run.stdout == "heard\n", run.stderr
