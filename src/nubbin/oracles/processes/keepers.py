"""Commands of tests, started where nothing that they start gets away.

See `nubbin.oracles.processes.keeper` for what they are started by.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Self

from nubbin.oracles.processes.descendants import descendants
from nubbin.oracles.processes.keeper import ANSWER, READY, SIZE
from nubbin.oracles.processes.process import Process, Running
from nubbin.waiting import until

_START = """import sys
sys.path.append({nubbin!r})
from nubbin.oracles.processes import keeper
keeper.main()"""
_NUBBIN = str(Path(__file__).parents[3])
_END_TIMEOUT_S = 10.0  # after that, the head hangs


class _Gone(Exception):
    """A keeper or the head has ended; a test may have killed it."""


class Keepers:
    """Starts the commands of queries, each under a keeper, and ends all that descends from it.

    Where there are no subreapers (all systems but Linux), only the process group of a command is
    ended with it. May be shared by threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Keeper] = []
        self._busy: dict[_Keeper, str] = {}
        self._closed = False
        # It gets up while we go on.
        self._head = _Head() if sys.platform == "linux" else None

    def start(
        self,
        owner: str,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        stdin: int,
        output: int,
        errors: int | None = None,
    ) -> Running:
        """Start a command; standard error goes to `errors`, by default to `output`.

        `owner` is whose `processes` they are. Raises OSError if it cannot be started.
        """
        streams = stdin, output, output if errors is None else errors
        words = [os.fsencode(each) for each in command]
        request = marshal.dumps((words, os.fsencode(folder), dict(environment)))
        while True:
            keeper = self._acquire(owner)
            if keeper is None:
                return Process(
                    command,
                    folder=folder,
                    environment=environment,
                    stdin=stdin,
                    output=output,
                    errors=errors,
                )
            error, is_folder = 0, False
            with suppress(_Gone):  # killed between two queries
                error, is_folder = keeper.start(request, streams)
            if keeper.usable and not error:
                return _Kept(self, keeper)
            self.release(keeper)
            if error:
                raise OSError(error, os.strerror(error), folder if is_folder else command[0])

    def processes(self) -> dict[str, list[int]]:
        """Return the ids of the processes of each owner at this moment."""
        with self._lock:
            busy = list(self._busy.items())
        found: dict[str, list[int]] = {}
        for keeper, owner in busy:
            found.setdefault(owner, []).extend(descendants(keeper.pid))
        return found

    def close(self) -> None:
        """End all that was started.

        Warns of what the system does not let us end; Python shows a RuntimeWarning by default.
        """
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            head, self._head = self._head, None
        for keeper in idle:
            keeper.close()
        if head is not None and (left := head.end()):
            warnings.warn(
                f"The test started processes that could not be ended: {left}. They belong to "
                "another user, or hang in the system. End them by hand.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _acquire(self, owner: str) -> _Keeper | None:
        """Return an idle keeper or a new one; None if this system has none."""
        with self._lock:
            if self._closed:
                raise CancelledError
            keeper = self._idle.pop() if self._idle else self._new()
            if keeper is not None:
                self._busy[keeper] = owner
            return keeper

    def release(self, keeper: _Keeper) -> None:
        """Take a keeper back, whose command has ended."""
        with self._lock:
            del self._busy[keeper]
            if keeper.usable and not self._closed:
                self._idle.append(keeper)
                return
        keeper.close()

    def _new(self) -> _Keeper | None:
        while self._head is not None:
            try:
                return self._head.new_keeper()
            except _Gone:
                was_up = self._head.is_up
                self._head.end()
                self._head = _Head() if was_up else None
        return None


class _Head:
    """The process that forks keepers; it gets up while we go on."""

    def __init__(self) -> None:
        self.is_up = False
        self._control, theirs = socket.socketpair()
        null = os.open(os.devnull, os.O_RDWR)
        try:
            self._process = Process(
                [sys.executable, "-I", "-S", "-c", _START.format(nubbin=_NUBBIN)],
                folder="/",
                environment=os.environb,
                stdin=theirs.fileno(),
                output=null,
            )
        finally:
            theirs.close()
            os.close(null)

    def new_keeper(self) -> _Keeper:
        """Return a new keeper; raises _Gone, and OSError if the system has no room for it."""
        self.is_up = self.is_up or _received(self._control, 1) == READY
        if not self.is_up:
            raise _Gone
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                _send(self._control, b"+", [theirs.fileno()])
            (pid,) = SIZE.unpack(_received(self._control, SIZE.size))
            if not pid:
                raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except BaseException:
            ours.close()
            raise
        return _Keeper(ours, pid)

    def end(self) -> str:
        """End all that descends from this process; return in words what could not be ended."""
        left = b""
        with self._control, suppress(OSError):
            self._control.settimeout(_END_TIMEOUT_S)
            self._control.shutdown(socket.SHUT_WR)
            while chunk := self._control.recv(1 << 12):
                left += chunk
        with self._process:
            pass  # kills, and waits
        return left.removeprefix(READY).decode(errors="replace")


class _Keeper:
    """A keeper that runs one command at a time."""

    def __init__(self, connection: socket.socket, pid: int):
        self.pid = pid
        self.usable = True
        self.fileno = connection.fileno
        self.close = connection.close
        self._connection = connection

    def start(self, request: bytes, streams: Sequence[int]) -> tuple[int, bool]:
        """Start a command; return the number of an error or 0, and whether it is of the folder."""
        _send(self._connection, SIZE.pack(len(request)) + request, streams)
        error, is_folder = self._answer()
        return error, bool(is_folder)

    def exit_code(self) -> int:
        """Return how the command has ended, when it has."""
        try:
            code, left = self._answer()
        except _Gone:
            return -signal.SIGKILL  # the head ends what has lost its keeper
        self.usable = not left
        return code

    def kill(self) -> None:
        """Have the command killed; returns at once."""
        with suppress(OSError):
            self._connection.send(SIZE.pack(0), socket.MSG_DONTWAIT)

    def _answer(self) -> tuple[int, int]:
        try:
            first, second = ANSWER.unpack(_received(self._connection, ANSWER.size))
        except _Gone:
            self.usable = False
            raise
        return first, second


class _Kept:
    """A command under a keeper; see `nubbin.oracles.processes.process.Running`."""

    def __init__(self, keepers: Keepers, keeper: _Keeper):
        self._keepers = keepers
        self._keeper = keeper
        self._lock = threading.Lock()
        self._released = False
        self._exit_code: int | None = None

    def wait(self, seconds: float | None) -> bool:
        if self._exit_code is None:
            poll = select.poll()
            poll.register(self._keeper, select.POLLIN)
            if until(lambda period: poll.poll(1000 * period), seconds):
                self._exit_code = self._keeper.exit_code()
        return self._exit_code is not None

    def kill(self) -> None:
        with self._lock:
            if not self._released:
                self._keeper.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._exit_code is None:
            self.kill()
            self.wait(None)
        with self._lock:
            self._released = True
        self._keepers.release(self._keeper)

    @property
    def exit_code(self) -> int:
        assert self._exit_code is not None, "known after the block"
        return self._exit_code


def _send(connection: socket.socket, data: bytes, descriptors: Sequence[int]) -> None:
    """Send bytes with descriptors; raises _Gone."""
    try:
        sent = socket.send_fds(connection, [data], descriptors)
        connection.sendall(memoryview(data)[sent:])
    except ConnectionError:
        raise _Gone from None


def _received(connection: socket.socket, size: int) -> bytes:
    """Return the next `size` bytes; raises _Gone."""
    data = b""
    with suppress(ConnectionError):
        while len(data) < size and (chunk := connection.recv(size - len(data))):
            data += chunk
    if len(data) < size:
        raise _Gone
    return data
