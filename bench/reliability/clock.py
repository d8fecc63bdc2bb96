"""Processor time of a command: a limit to it, and how much of it passes until a signal is heard.

Seconds of the clock say nothing on a busy machine. A command that waits for ever has no processor
time either, so there is a limit to the clock as well, far beyond any delay.
"""

from __future__ import annotations

import subprocess
import time

from harness.processes import own_seconds

_MAX_WAIT_S = 300.0


def limited(cpu_s: int) -> tuple[str, ...]:
    """Return what to put before a command, so that it gets SIGXCPU after this processor time."""
    return "prlimit", f"--cpu={cpu_s}:{cpu_s + 5}", "--"


def at_work(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait until a process has used this processor time; return whether it is still there."""
    end = time.monotonic() + _MAX_WAIT_S
    while process.poll() is None and time.monotonic() < end:
        if own_seconds(process.pid) >= seconds:
            return True
        time.sleep(0.005)
    return process.poll() is None


def deaf(process: subprocess.Popen[bytes], most_s: float) -> str:
    """Wait for the end of a process; return why it is late, or nothing if it is not.

    A process that uses more than `most_s` of its own processor time is killed.
    """
    before, end = own_seconds(process.pid), time.monotonic() + _MAX_WAIT_S
    while process.poll() is None:
        used = own_seconds(process.pid) - before
        if used > most_s or time.monotonic() > end:
            process.kill()
            return f"{used:.1f} s of its own processor time"
        time.sleep(0.005)
    return ""
