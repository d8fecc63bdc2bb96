"""Clones of `python -m nubbin` and of fork servers, from processes that have imported them.

That saves half a second of each command, and most of the time of a small reduction. `subprocess`
starts everything as ever, except these two commands: a server that has imported what they need
clones itself (`clones.py`). By CLONE_PARENT the clone is a child of this process, so waiting,
signals, exit codes and groups are the system's own. What a clone cannot have starts by exec: a
terminal, `preexec_fn`, other variables that Python reads at its start. So does everything on other
systems, and in `script/test --all`, which sets NUBBIN_TESTS_EXEC.
"""

from __future__ import annotations

import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clones import CLONE
from nubbin.oracles.processes import supervisors

#: The variable that says: start everything as users do.
EXEC = "NUBBIN_TESTS_EXEC"

_CLONES = str(Path(__file__).with_name("clones.py"))
_IMPORTS, _, _MAIN = supervisors._START.rpartition("\n")
_HEAD = (sys.executable, "-I", "-S")
#: What is cloned, and the command of its server.
_SERVERS = {
    (sys.executable, "-m", "nubbin"): [sys.executable, _CLONES],
    (*_HEAD, "-c", supervisors._START): [*_HEAD, _CLONES, _IMPORTS, _MAIN],
}
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
    if sys.platform != "linux" or CLONE is None or EXEC in os.environ:
        yield
        return
    Popen.servers = {command: _Server(line) for command, line in _SERVERS.items()}
    subprocess.Popen = Popen  # type: ignore[misc]
    try:
        yield
    finally:
        subprocess.Popen = by_exec  # type: ignore[misc]
        for each in Popen.servers.values():
            each.close()


class _Server:
    """Starts with the first command, in the variables that were there before all tests."""

    def __init__(self, line: list[str]) -> None:
        self.variables = dict(os.environ)
        self._line = line
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
                self._line,
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

    servers: dict[tuple[str, ...], _Server]

    def _execute_child(self, *given: Any) -> None:
        call = _SIGNATURE.bind(self, *given).arguments
        words = [call["args"]] if isinstance(call["args"], str | bytes) else list(call["args"])
        command = next((each for each in self.servers if each == tuple(words[: len(each)])), ())
        variables = dict(os.environ if call["env"] is None else call["env"])
        ends = enumerate((call["p2cread"], call["c2pwrite"], call["errwrite"]))
        streams = [number if end < 0 else end for number, end in ends]  # -1: that of this process
        if (
            not command
            or any(call[name] != value for name, value in _FIXED.items())
            or _read_at_start(variables) != _read_at_start(self.servers[command].variables)
            or any(map(os.isatty, streams))
            or not os.path.isdir(call["cwd"] or ".")  # noqa: PTH112 - bytes, too
        ):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        request = {
            "words": [os.fsdecode(each) for each in words[len(command) :]],
            "folder": os.fsdecode(os.path.abspath(call["cwd"] or ".")),  # noqa: PTH100
            "variables": {os.fsdecode(name): os.fsdecode(variables[name]) for name in variables},
            "session": bool(call["start_new_session"]),
        }
        self.pid = self.servers[command].start(request, streams)
        self._child_created = True
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(call[name] for name in pipes))  # type: ignore[attr-defined]


def _read_at_start(variables: Mapping[Any, Any]) -> dict[str, str]:
    texts = {os.fsdecode(name): os.fsdecode(variables[name]) for name in variables}
    return {name: texts[name] for name in texts if name.startswith(_READ_AT_START)}
