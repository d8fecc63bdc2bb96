"""Start the commands of tests under supervisors, which end everything that a command starts.

See `nubbin.oracles.processes.keeper` for these supervisors, the keepers.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import socket
import sys
import threading
import warnings
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import nubbin_core
from nubbin.oracles.processes.descendants import descendants
from nubbin.oracles.processes.keeper import ANSWER, SIZE
from nubbin.oracles.processes.process import Lost, Process, Running, Streams
from nubbin_core.waiting import until

#: Where nubbin and its core are, so that another Python can import them.
HOMES = [str(Path(__file__).parents[3]), str(Path(nubbin_core.__path__[0]).parent)]
_START = f"""import sys
sys.path += {HOMES!r}
from nubbin.oracles.processes import keeper
keeper.main()"""
_WARM = f"""import sys
sys.path[:] = [*{HOMES!r}, *filter(None, sys.path)]
from nubbin.oracles.processes import keeper, warm
del sys.path[:{len(HOMES)}]
warm.main(keeper.main)"""
_END_TIMEOUT_S = 10.0  # after that, the head hangs
_MAX_STARTS = 100  # of a command; more than the keepers that a test can kill at once


class _Gone(Exception):
    """A keeper or the head has ended; a test may have killed it."""


@dataclass(frozen=True, slots=True)
class Python:
    """A Python, with its own options and variables, that imports `modules` before it is forked."""

    program: str
    options: tuple[str, ...]
    variables: Mapping[bytes, bytes]
    modules: tuple[str, ...]


class Keepers:
    """Starts the commands of queries, each under a keeper that ends all descendants of it.

    On systems without subreapers (all but Linux), only the process group of a command ends with it.
    May be shared by threads. An interrupt may come at any instant: a keeper ends its command when
    nubbin drops the connection to it.
    """

    def __init__(self, python: Python | None = None) -> None:
        self._python = python
        self._beside: list[Keepers] = []
        self._lock = threading.Lock()
        self._idle: list[_Keeper] = []
        self._busy = weakref.WeakKeyDictionary[_Keeper, str]()
        self._closed = False
        # It starts in the background.
        self._head = _Head(python) if sys.platform == "linux" else None

    def in_forks_of(self, python: Python) -> Keepers:
        """Return more keepers, closed with these, whose commands run in forks of a Python.

        A command begins with "", followed by the words that follow Python's options; see
        `nubbin.oracles.processes.warm`.
        """
        self._beside.append(Keepers(python))
        return self._beside[-1]

    def start(
        self,
        owner: str,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        streams: Streams,
    ) -> Running:
        """Start a command, which `processes` lists under `owner`; raises OSError if it cannot."""
        words = [os.fsencode(each) for each in command]
        request = marshal.dumps((words, os.fsencode(folder), dict(environment)))
        for _ in range(_MAX_STARTS):
            keeper = self._acquire(owner)
            if keeper is None:
                return Process(command, folder=folder, environment=environment, streams=streams)
            with suppress(_Gone):  # the keeper was killed between two queries
                error, is_folder = keeper.start(request, streams)
                if not error:
                    return _Kept(self, keeper)
                self.release(keeper)
                raise OSError(error, os.strerror(error), folder if is_folder else command[0])
            self.release(keeper)
        raise OSError(errno.ECHILD, "the processes that start tests are killed again and again")

    def processes(self) -> dict[str, list[int]]:
        """Return the ids of the processes that each owner has now."""
        with self._lock:
            busy = list(self._busy.items())
        found: dict[str, list[int]] = {}
        for keeper, owner in busy:
            found.setdefault(owner, []).extend(descendants(keeper.pid))
        for each in self._beside:
            for owner, pids in each.processes().items():
                found.setdefault(owner, []).extend(pids)
        return found

    def close(self) -> None:
        """End all that was started; shows a RuntimeWarning for processes that remain."""
        for each in self._beside:
            each.close()
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
        """Take back a keeper whose command has ended."""
        with self._lock:
            self._busy.pop(keeper, None)
            if keeper.usable and not self._closed:
                self._idle.append(keeper)
                return
        keeper.close()

    def _new(self) -> _Keeper | None:
        while self._head is not None:
            try:
                return self._head.new_keeper()
            except _Gone:
                gone = self._head
                self._head = _Head(self._python) if gone.is_up else None
                gone.end()
        return None


class _Head:
    """The process that forks keepers; it starts in the background."""

    def __init__(self, python: Python | None) -> None:
        self.is_up = False
        command = [sys.executable, "-I", "-S", "-c", _START]
        if python is not None:
            command = [python.program, *python.options, "-c", _WARM, *python.modules]
        self._control, theirs = socket.socketpair()
        null = os.open(os.devnull, os.O_RDWR)
        try:
            self._process = Process(
                command,
                folder="/",
                environment={**os.environb, **(python.variables if python else {})},
                streams=(theirs.fileno(), null, null),
            )
        finally:
            theirs.close()
            os.close(null)

    def new_keeper(self) -> _Keeper:
        """Return a new keeper; raises _Gone, and OSError if the system cannot fork one."""
        keeper = _Keeper(self._control)
        self.is_up = True
        return keeper

    def end(self) -> str:
        """End this process and its descendants; return a list of those that could not be ended."""
        left = b""
        with self._control, suppress(OSError):
            self._control.settimeout(_END_TIMEOUT_S)
            self._control.shutdown(socket.SHUT_WR)
            while chunk := self._control.recv(1 << 12):
                left += chunk
        with self._process:
            pass  # kills, and waits
        return left.decode(errors="replace")


class _Keeper:
    """A keeper that runs one command at a time, and ends it when nubbin closes the connection.

    It is `usable` for another command when nubbin has read that the last one has ended.
    """

    def __init__(self, head: socket.socket):
        self.usable = True
        self.connection, theirs = socket.socketpair()
        self.close = weakref.finalize(self, self.connection.close)
        self.close.atexit = False  # at the interpreter's exit, an oracle still ends its commands
        with theirs:
            _send(head, b"+", [theirs.fileno()])
        (self.pid,) = SIZE.unpack(_received(self.connection, SIZE.size))
        if not self.pid:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def start(self, request: bytes, streams: Sequence[int]) -> tuple[int, bool]:
        """Start a command; return an error number or 0, and whether the error is the folder's."""
        self.usable = False
        _send(self.connection, SIZE.pack(len(request)) + request, streams)
        error, is_folder = self.answer()
        self.usable = bool(error)
        return error, bool(is_folder)

    def answer(self) -> tuple[int, int]:
        """Return the two numbers of a response, when it comes; raises _Gone."""
        first, second = ANSWER.unpack(_received(self.connection, ANSWER.size))
        return first, second


class _Kept(Running):
    """A command under a keeper."""

    def __init__(self, keepers: Keepers, keeper: _Keeper):
        self._keepers = keepers
        self._keeper: _Keeper | None = keeper  # None after its release
        self._lock = threading.Lock()
        self._ended = False
        self._exit_code: int | None = None

    def wait(self, seconds: float | None) -> bool:
        if (keeper := self._keeper) is not None and not self._ended:
            poll = select.poll()
            poll.register(keeper.connection, select.POLLIN)
            if until(lambda period: poll.poll(1000 * period), seconds):
                with suppress(_Gone):  # the head ends the command
                    self._exit_code, left = keeper.answer()
                    keeper.usable = not left
                self._ended = True
        return self._ended

    def kill(self) -> None:
        with self._lock, suppress(OSError):
            if self._keeper is not None:
                self._keeper.connection.send(SIZE.pack(0), socket.MSG_DONTWAIT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._ended:
            self.kill()
            self.wait(None)
        with self._lock:
            keeper, self._keeper = self._keeper, None
        if keeper is not None:
            if kind is not None:  # an interrupt may have come after half an answer
                keeper.usable = False
                with suppress(OSError):
                    keeper.connection.shutdown(socket.SHUT_WR)
                    while keeper.connection.recv(1 << 12):
                        pass  # until the keeper and all processes of the command have ended
            self._keepers.release(keeper)

    @property
    def exit_code(self) -> int:
        if self._exit_code is None:
            raise Lost
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
