"""`python -m nubbin` as a clone of a process that has imported it: half a second less each.

`subprocess` starts everything as ever, except this command without options of Python: a server that
has imported nubbin clones itself. By CLONE_PARENT the clone is a child of this process, so waiting,
signals, exit codes and groups are the system's own. What a clone cannot have starts by exec: a
terminal, `preexec_fn`, other variables that Python reads at its start. So does everything on other
systems, and in `script/test --all`, which sets NUBBIN_TESTS_EXEC.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import inspect
import json
import os
import pkgutil
import platform
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

#: The variable that says: start everything as users do.
EXEC = "NUBBIN_TESTS_EXEC"

_COMMAND = [sys.executable, "-m", "nubbin"]
_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())  # the number of the system call
_CLONE_PARENT = 0x8000
_MAX_BYTES = 1 << 20
_READ_AT_START = ("PYTHON", "LC_", "LANG", "TZ")
#: Arguments of `Popen`, with the only values that a clone can have.
_FIXED: dict[str, object] = {
    **dict.fromkeys(["executable", "preexec_fn", "uid", "gid", "gids"]),
    "close_fds": True,
    "pass_fds": (),
    "shell": False,
    "umask": -1,
    "process_group": -1,
}

#: What `subprocess.Popen` was.
by_exec = subprocess.Popen
_SIGNATURE = inspect.signature(by_exec._execute_child)  # type: ignore[attr-defined]


@contextmanager
def forking() -> Iterator[None]:
    """Let `subprocess` clone what it can."""
    if sys.platform != "linux" or _CLONE is None or EXEC in os.environ:
        yield
        return
    Popen.server = _Server()
    subprocess.Popen = Popen  # type: ignore[misc]
    try:
        yield
    finally:
        subprocess.Popen = by_exec  # type: ignore[misc]
        Popen.server.close()


class _Server:
    """Starts with the first command, in the variables that were there before all tests."""

    def __init__(self) -> None:
        self.variables = dict(os.environ)
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None

    @property
    def is_up(self) -> bool:
        """Whether a command has been cloned."""
        return self._connection is not None

    def start(self, request: dict[str, Any], streams: list[int]) -> int:
        """Return the id of a new child of this process."""
        with self._lock:
            if self._connection is None:
                self._connection = self._started()
            socket.send_fds(self._connection, [json.dumps(request).encode()], streams)
            return int(self._connection.recv(_MAX_BYTES))

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = by_exec(
                [sys.executable, __file__],
                stdin=theirs.fileno(),
                env={**self.variables, "OPENBLAS_NUM_THREADS": "1"},  # a fork has no threads
            )
        return ours

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._process.wait()


class Popen(by_exec[Any]):
    """As `subprocess.Popen`, which it replaces."""

    server: _Server

    def _execute_child(self, *given: Any) -> None:
        call = _SIGNATURE.bind(self, *given).arguments
        words = [call["args"]] if isinstance(call["args"], str | bytes) else list(call["args"])
        variables = dict(os.environ if call["env"] is None else call["env"])
        ends = enumerate((call["p2cread"], call["c2pwrite"], call["errwrite"]))
        streams = [number if end < 0 else end for number, end in ends]  # -1: that of this process
        if (
            words[:3] != _COMMAND
            or any(call[name] != value for name, value in _FIXED.items())
            or _read_at_start(variables) != _read_at_start(self.server.variables)
            or any(map(os.isatty, streams))
            or not os.path.isdir(call["cwd"] or ".")  # noqa: PTH112 - bytes, too
        ):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        request = {
            "words": [os.fsdecode(each) for each in words[3:]],
            "folder": os.fsdecode(os.path.abspath(call["cwd"] or ".")),  # noqa: PTH100
            "variables": {os.fsdecode(name): os.fsdecode(variables[name]) for name in variables},
            "session": bool(call["start_new_session"]),
        }
        self.pid = self.server.start(request, streams)
        self._child_created = True
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(call[name] for name in pipes))  # type: ignore[attr-defined]


def _read_at_start(variables: Mapping[Any, Any]) -> dict[str, str]:
    texts = {os.fsdecode(name): os.fsdecode(variables[name]) for name in variables}
    return {name: texts[name] for name in texts if name.startswith(_READ_AT_START)}


# The server.


def _serve(connection: socket.socket) -> None:
    """Clone this process for each request; return in the clone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for room in ("cli", "reduction", "report", "runs"):
        package = importlib.import_module(f"nubbin.{room}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(each.name)
    assert (tempfile.tempdir, sys.pycache_prefix) == (None, None), "an import set it for all clones"
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
    pid = api.syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
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
    sys.path[0] = request["folder"]
    sys.stdin = open(0, closefd=False)  # noqa: SIM115


def _run() -> None:
    """Run nubbin, and end as Python does without taking its modules apart, which takes 60 ms."""
    from nubbin.__main__ import main  # noqa: PLC0415

    try:
        main()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit((end.code or 0) & 0xFF)


if __name__ == "__main__":
    with socket.socket(fileno=os.dup(0)) as own:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        _serve(own)
    _run()
