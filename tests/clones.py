"""A server that has imported a program, and clones itself to run it; see `forked.py`.

A program: it serves the socket that is its standard input. Its arguments are code: what it imports,
and what a clone runs. Without them, that is the command line of nubbin.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import platform
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any

#: The number of the system call on this machine.
CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
_CLONE_PARENT = 0x8000
_MAX_BYTES = 1 << 20


def _imported() -> Callable[[], object]:
    """Import what clones need, and return what each runs."""
    if code := sys.argv[1:]:
        names: dict[str, Any] = {}
        exec(code[0], names)
        return lambda: exec(code[1], names)
    for room in ("cli", "journal", "reduction", "report"):
        package = importlib.import_module(f"nubbin.{room}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(each.name)
    assert (tempfile.tempdir, sys.pycache_prefix) == (None, None), "an import set it for all clones"
    return importlib.import_module("nubbin.__main__").main  # type: ignore[no-any-return]


def _serve(connection: socket.socket) -> None:
    """Clone this process for each request; return in the clone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert len(os.listdir("/proc/self/task")) == 1, "a clone has no threads"  # noqa: PTH208
    gc.collect()
    gc.freeze()
    while True:
        data, streams, _, _ = socket.recv_fds(connection, _MAX_BYTES, 3)
        if not data:
            sys.exit()
        pid = _clone()
        if pid == 0:
            _become(json.loads(data), streams)
            return
        connection.send(str(pid).encode())
        for stream in streams:
            os.close(stream)


def _clone() -> int:
    """Fork, but make the child a child of this process's parent."""
    api = ctypes.PyDLL(None)
    api.syscall.restype = ctypes.c_long
    api.PyOS_BeforeFork()
    pid = api.syscall(CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        api.PyOS_AfterFork_Child()
    else:
        api.PyOS_AfterFork_Parent()
    return int(pid)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    if request["session"]:
        os.setsid()
    for number, stream in enumerate(streams):  # descriptors that are received are no standard ones
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["variables"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = request["words"]
    if not sys.flags.isolated:
        sys.path[0] = request["folder"]
    sys.stdin = open(0, closefd=False)  # noqa: SIM115


def _run(main: Callable[[], object]) -> None:
    """Run it, and end as Python does without taking its modules apart, which takes 60 ms."""
    code: str | int | None = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    if isinstance(code, str):
        sys.exit(code)  # prints it
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    with socket.socket(fileno=os.dup(0)) as own:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        run = _imported()
        _serve(own)
    _run(run)
