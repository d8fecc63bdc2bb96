"""Waits that Ctrl-C, or the end of a reduction's time, can interrupt."""

from __future__ import annotations

import math
import select
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_PERIOD_S = 0.2  # the longest wait during which no signal is handled

#: Raises if the work of the calling thread is no longer needed. A thread that makes many calls of C
#: calls this between them, because signals interrupt only the main thread.
check_wanted: ContextVar[Callable[[], None]] = ContextVar("nubbin-wanted", default=lambda: None)


def until(wait: Callable[[float], T], seconds: float | None = None) -> T:
    """Wait until `wait` returns something true, for at most `seconds` (None: no limit).

    `wait` takes a number of seconds, waits for at most that long, and returns something false if
    that was not enough. Returns what `wait` returned last.

    Python runs signal handlers in the main thread, between two instructions. A signal that arrives
    just before a wait begins, or in another thread, does not end that wait. So the main thread must
    divide a long wait into short ones. The last one takes no time, but is needed: Ctrl-Z may have
    stopped this process until after the limit, but not the one it waits for.
    """
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        found = wait(max(0.0, min(_PERIOD_S, left)))
        if found or left <= 0:
            return found


def readable(descriptor: int, seconds: float | None = None) -> bool:
    """Wait, as `until` does, for something to read or the end; return whether either has come."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(until(lambda period: poll.poll(1000 * period), seconds))


def run(
    command: Sequence[str],
    data: bytes = b"",
    *,
    seconds: float | None = None,
    stderr: int = subprocess.PIPE,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command on some input, as `subprocess.run` does, in a wait that can be interrupted.

    Raises OSError if it cannot be started, TimeoutExpired after `seconds` (None: no limit).
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=stderr, cwd=cwd, env=env
    ) as child:
        given = [data]  # only at first

        def ended(period: float) -> tuple[bytes, bytes] | None:
            with suppress(subprocess.TimeoutExpired):
                return child.communicate(given.pop() if given else None, period)
            return None

        try:
            printed = until(ended, seconds)
        finally:
            child.kill()
    if printed is None:
        raise subprocess.TimeoutExpired(command, seconds or 0.0)
    return subprocess.CompletedProcess(command, child.returncode, *printed)


def join(thread: threading.Thread) -> None:
    """Wait until a thread has ended."""

    def ended(seconds: float) -> bool:
        thread.join(seconds)
        return not thread.is_alive()

    until(ended)
