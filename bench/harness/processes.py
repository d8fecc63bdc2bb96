"""Processes: a command with a time limit of which none is left, and what processes have used."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
_LOOK_S = 0.2
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def supervise(
    line: list[str],
    work: Path,
    environment: dict[str, str],
    limit: float,
    is_enough: Callable[[], bool] = lambda: False,
) -> tuple[str, float, float]:
    """Run a command line for at most `limit` seconds, and kill all its processes at the end.

    It also ends when it `is_enough`, which is asked a few times a second. Returns how it ended,
    wall-clock seconds, and CPU seconds of all its processes.
    """
    ours = {*descendants(os.getpid())}
    adopt_orphans(True)
    spent = cpu_of_children()
    started = time.monotonic()
    null = subprocess.DEVNULL
    with subprocess.Popen(
        line,
        cwd=work,
        env=environment,
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,
    ) as process:
        try:
            while not is_enough() and time.monotonic() - started <= limit:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_S)
                    break
            status = process.returncode
            end = {None: "time", 0: "done"}.get(status, f"status {status}")
        finally:  # also if this script is interrupted
            seconds = time.monotonic() - started
            kill_all(process, ours)
            adopt_orphans(False)
    return end, seconds, cpu_of_children() - spent


def adopt_orphans(adopt: bool) -> None:
    """Let orphans among our descendants become our children, so that none escapes; or stop that."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def kill_all(process: subprocess.Popen[bytes], ours: set[int]) -> None:
    """Kill a process and all its descendants, until none is left, but none of `ours`."""
    while left := {*descendants(os.getpid())} - ours:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def cpu_of_children() -> float:
    """Return the CPU seconds of all children that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def descendants(root: int) -> list[int]:
    """Return the descendants of `root` that the process table shows now."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int(_stat(int(entry.name))[1])
    found, fresh = [], [root]
    while fresh:
        fresh = [pid for pid, parent in parents.items() if parent in fresh]
        found += fresh
    return found


def _stat(process: int) -> list[str]:
    """Return what the process table says of a process, from its state on."""
    text = Path(f"/proc/{process}/stat").read_text(errors="replace")  # a name need not be text
    return text.rpartition(")")[2].split()


def peak_memory(process: int) -> int:
    """Return the most bytes that a process has held; OSError if it is gone."""
    text = Path(f"/proc/{process}/status").read_text()
    return int((text.partition("VmHWM:")[2].split() or ["0"])[0]) << 10


def own_seconds(process: int) -> float:
    """Return the processor time of all threads of a process, without its children."""
    return sum(int(each) for each in _stat(process)[11:13]) / _TICKS_PER_S


def children_of(process: int) -> dict[int, bytes]:
    """Return the command lines of a process's children, by their numbers."""
    found = {}
    with suppress(OSError):
        for each in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            found[int(each)] = Path(f"/proc/{each}/cmdline").read_bytes()
    return found
