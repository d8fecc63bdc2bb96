"""However we wait for a process, we see its end, and do not reap it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from nubbin.oracles.processes.process import poll_no_reap, wait_no_reap


@pytest.mark.parametrize("wait", [wait_no_reap, poll_no_reap])
def test_sees_the_end_and_leaves_the_reaping(wait: Callable[[int, float | None], bool]) -> None:
    process = subprocess.Popen(["sh", "-c", "read x; exit 7"], stdin=subprocess.PIPE)
    assert not wait(process.pid, 0)
    assert not wait(process.pid, 0.01)
    assert process.stdin is not None
    process.stdin.close()
    assert wait(process.pid, None)
    assert wait(process.pid, 0)
    assert process.wait() == 7
    assert wait(process.pid, None)


@pytest.mark.parametrize("wait", [wait_no_reap, poll_no_reap])
def test_an_end_during_a_stop_past_the_limit_is_seen(
    wait: Callable[[int, float | None], bool],
) -> None:
    limit = 0.5
    with subprocess.Popen(["sh", "-c", "read x"], stdin=subprocess.PIPE) as process:

        def stop(*_: object) -> None:
            """Do what Ctrl-Z and fg do: suddenly it is later than the limit."""
            deadline = time.monotonic() + 2 * limit
            assert process.stdin is not None
            process.stdin.close()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            time.sleep(max(0.0, deadline - time.monotonic()))

        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, limit / 50)
            assert wait(process.pid, limit)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
