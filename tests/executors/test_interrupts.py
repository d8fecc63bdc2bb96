"""Ctrl-C at any instant ends any run soon, wherever its tests run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from examples import mostly_nightly
from faults import PATIENCE_S, Tether, names, script

TEXT = b"".join(b"line %d\n" % number for number in range(40))
TEST = "grep -qx 'line 3' input.txt && grep -qx 'line 27' input.txt"

#: The reason for the end of a run; with `stuck`, calls after the 12th run for ever, say their
#: futures, so that they cannot be cancelled.
DRIVER = """
import itertools, sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from nubbin import reduce

class Stuck(Executor):
    calls = itertools.count()
    def submit(self, call, *arguments):
        future = Future()
        future.set_running_or_notify_cancel()
        if next(self.calls) < 12:
            future.set_result(call(*arguments))
        else:
            print("stuck", flush=True)
        return future

if __name__ == "__main__":
    kind, test, source = sys.argv[1:]
    options = {"jobs": int(kind)} if kind.isdecimal() else {"jobs": 2}
    if kind == "pool":
        options["executor"] = ProcessPoolExecutor(2, get_context("spawn"))
    if kind == "stuck":
        options["executor"] = Stuck()
    print(reduce(Path(test), Path(source), timeout=1000, **options).reason)
    if kind == "pool":
        options["executor"].shutdown()
"""
INSTANTS = [(kind, number) for kind in ("1", "2", "8", "pool") for number in (0, 1, 4, 24)]
INSTANTS += [("cluster", 1), ("cluster", 24)]


@contextmanager
def running(kind: str, test: Path, source: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run in a process group of its own, so that Ctrl-C reaches nothing else."""
    if kind == "cluster":
        line = ["-m", "nubbin", "reduce", "-q", "--cluster", "local:1", "-t", "1000"]
    else:
        line = ["-c", DRIVER, kind]
    with subprocess.Popen(
        [sys.executable, *line, test, source],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(source.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    ) as run:
        try:
            yield run
        finally:
            run.kill()


@pytest.mark.parametrize(
    ("kind", "number"), mostly_nightly(INSTANTS, [("1", 0), ("2", 4), ("8", 24), ("pool", 4)])
)
def test_ctrl_c_at_any_instant(tmp_path: Path, kind: str, number: int) -> None:
    """After some runs all tests hang, except in a pool, whose calls cannot be stopped."""
    work = tmp_path / "work"
    work.mkdir()
    source = work / "input.txt"
    source.write_bytes(TEXT)
    log = tmp_path / "log"
    hang = "true" if kind == "pool" else "sleep 1000"
    with Tether(tmp_path) as tether:
        count = f"echo >>{log}; if [ $(wc -l <{log}) -gt {number} ]"
        body = f"{count}; then echo up >&9; {hang}; fi"  # each says so, because some are given up
        test = script(tmp_path, f"exec 9>{tether.path}; {body}; {TEST}")
        with tether.path.open("wb"), running(kind, test, source) as run:
            assert tether.read().startswith(b"up\n")
            run.send_signal(signal.SIGINT)
            output, errors = run.communicate(timeout=PATIENCE_S)
        tether.assert_cut(None)
    # Before the reduction has begun, the exception is the caller's; and a pool may be faster. The
    # command prints where the best is.
    result = os.fsencode(work / "input.reduced.txt\n")
    assert output in (b"interrupted\n", b"fixpoint\n", b"", result), errors
    assert run.returncode in (0, -signal.SIGINT, 130), errors
    assert all(not name.startswith("nubbin-") for name in names(work))


def test_ctrl_c_waits_for_no_call_that_never_ends(tmp_path: Path) -> None:
    source = tmp_path / "input.txt"
    source.write_bytes(TEXT)
    with running("stuck", script(tmp_path, TEST), source) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"stuck\n"
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=PATIENCE_S)
    assert output.split()[-1] == b"interrupted", errors
    assert run.returncode == 0
