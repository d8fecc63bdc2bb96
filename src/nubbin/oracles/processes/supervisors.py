"""Start the commands of tests under supervisors, which end everything that a command starts.

See `nubbin.oracles.processes.supervisor` for what these processes do.
"""

from __future__ import annotations

import errno
import marshal
import os
import socket
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from pathlib import Path

import nubbin_core
from nubbin.oracles.processes.descendants import descendants
from nubbin.oracles.processes.process import Lost, Process, Running, Streams
from nubbin.oracles.processes.supervisor import RESPONSE, SIZE
from nubbin_core.waiting import readable

#: Where nubbin and its core are, so that another Python can import them.
_HOMES = [str(Path(__file__).parents[3]), str(Path(nubbin_core.__path__[0]).parent)]


def importing(names: str, call: str) -> str:
    """Return the code by which any Python imports modules of nubbin; nothing later finds nubbin.

    `names` is the rest of a `from` statement, as "package import module".
    """
    return f"""import sys
sys.path[:] = [*{_HOMES!r}, *filter(None, sys.path)]
from nubbin.oracles.{names}
del sys.path[:{len(_HOMES)}]
{call}"""


_START = importing("processes import supervisor", "supervisor.main()")
_WARM = importing("processes import supervisor, warm", "warm.main(supervisor.main)")
_END_TIMEOUT_S = 10.0  # after that, the fork server hangs
_MAX_STARTS = 100  # of a command, more than the supervisors that a test can kill at once


class Supervisors:
    """Starts commands, each under a supervisor that ends all descendants of it.

    On systems without subreapers (all but Linux), only the process group of a command ends with it.
    May be shared by threads. An interrupt may come at any instant: a supervisor ends its command
    when nubbin drops the connection to it. `server` is the command of the fork server; by default,
    nubbin's own Python runs it.
    """

    def __init__(
        self, server: Sequence[str] = (), environment: Mapping[bytes, bytes] = os.environb
    ) -> None:
        server = server or (sys.executable, "-I", "-S", "-c", _START)
        self._starting = partial(_ServerProcess, server, environment)
        self._beside: list[Supervisors] = []
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._running = weakref.WeakKeyDictionary[_Supervised, str]()
        self._closed = False
        self._works = False  # this system has supervisors
        self._server = self._starting() if sys.platform == "linux" else None

    def in_forks_of(
        self, python: Sequence[str], modules: Sequence[str], variables: Mapping[bytes, bytes]
    ) -> Supervisors:
        """Return more supervisors, closed with these, whose commands run in forks of a Python.

        It imports `modules` first. A command begins with "", followed by the words that follow
        Python's options; see `nubbin.oracles.processes.warm`.
        """
        server = [*python, "-c", _WARM, *modules]
        self._beside.append(Supervisors(server, {**os.environb, **variables}))
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
            with self._lock:
                if self._closed:
                    raise CancelledError
                connection = self._idle.pop() if self._idle else self._new()
            if connection is None:
                return Process(command, folder=folder, environment=environment, streams=streams)
            try:
                connection.send(request, streams)
                number, is_of_folder = connection.response()
            except ConnectionError:
                continue  # a test has killed the supervisor between two queries
            if number < 0:
                raise OSError(-number, os.strerror(-number), folder if is_of_folder else command[0])
            running = _Supervised(connection, number, self._release)
            with self._lock:
                self._works = True
                self._running[running] = owner
            return running
        raise OSError(errno.ECHILD, "the processes that start tests are killed again and again")

    def processes(self) -> dict[str, list[int]]:
        """Return the ids of the processes that each owner has now."""
        with self._lock:
            running = [(owner, each.supervisor) for each, owner in self._running.items()]
        found: dict[str, list[int]] = {}
        for owner, supervisor in running:
            if supervisor:
                found.setdefault(owner, []).extend(descendants(supervisor))
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
            for connection in self._idle:
                connection.close()
            server, self._server = self._server, None
        if server is not None and (left := server.end()):
            warnings.warn(
                f"The test started processes that could not be ended: {left}. They belong to "
                "another user, or hang in the system. End them by hand.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _new(self) -> _Connection | None:
        """Return a connection to a new supervisor; None if this system has none."""
        while self._server is not None:
            try:
                return _Connection(self._server.control)
            except ConnectionError:  # a test may have killed the fork server
                gone = self._server
                self._server = self._starting() if self._works else None
                gone.end()
        return None

    def _release(self, connection: _Connection) -> None:
        with self._lock:
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)


class _ServerProcess:
    """The process that forks supervisors; it starts in the background."""

    def __init__(self, command: Sequence[str], environment: Mapping[bytes, bytes]) -> None:
        self.control, theirs = socket.socketpair()
        null = os.open(os.devnull, os.O_RDWR)
        try:
            self._process = Process(
                command,
                folder="/",
                environment=environment,
                streams=(theirs.fileno(), null, null),
            )
        finally:
            theirs.close()
            os.close(null)

    def end(self) -> str:
        """End this process and its descendants; return a list of those that could not be ended."""
        left = b""
        with self.control, suppress(OSError):
            self.control.settimeout(_END_TIMEOUT_S)
            self.control.shutdown(socket.SHUT_WR)
            while chunk := self.control.recv(1 << 12):
                left += chunk
        with self._process:
            pass  # kills, and waits
        return left.decode(errors="replace")


class _Connection:
    """A connection to a new supervisor, which ends its command when the connection is dropped."""

    def __init__(self, server: socket.socket):
        self.socket, theirs = socket.socketpair()
        self.close = weakref.finalize(self, self.socket.close)
        self.close.atexit = False  # at the interpreter's exit, an oracle still ends its commands
        with theirs:
            socket.send_fds(server, [b"+"], [theirs.fileno()])

    def send(self, request: bytes, streams: Streams) -> None:
        """Send a request with the streams of the command; raises ConnectionError."""
        data = SIZE.pack(len(request)) + request
        sent = socket.send_fds(self.socket, [data], streams)
        self.socket.sendall(memoryview(data)[sent:])

    def response(self) -> tuple[int, int]:
        """Return the two numbers of a response, when it comes; raises ConnectionError."""
        said = self.socket.recv(RESPONSE.size, socket.MSG_WAITALL)
        if len(said) < RESPONSE.size:
            raise ConnectionResetError
        first, second = RESPONSE.unpack(said)
        return first, second


class _Supervised(Running):
    """A command under a supervisor; `release` takes back the connection for another command."""

    def __init__(
        self, connection: _Connection, supervisor: int, release: Callable[[_Connection], None]
    ):
        self.supervisor = supervisor  # its id; 0 at the end of the block
        self._lock = threading.Lock()
        self._connection: _Connection | None = connection  # None at that end
        self._release = release
        self._response: tuple[int, int] | None = None
        self._ended = False

    def wait(self, seconds: float | None) -> bool:
        connection = self._connection
        if connection and not self._ended and readable(connection.socket.fileno(), seconds):
            with suppress(ConnectionError):  # the fork server ends the command
                self._response = connection.response()
            self._ended = True
        return self._ended

    def kill(self) -> None:
        with self._lock, suppress(OSError):
            if self._connection is not None:
                self._connection.socket.send(SIZE.pack(0), socket.MSG_DONTWAIT)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._ended:
            self.kill()
            self.wait(None)
        with self._lock:
            connection, self._connection = self._connection, None
            self.supervisor = 0
        if connection is None:
            return
        if kind is None and self._response and not self._response[1]:
            self._release(connection)
            return
        with suppress(OSError):  # an interrupt may have come after half a response
            connection.socket.shutdown(socket.SHUT_WR)
            while connection.socket.recv(1 << 12):
                pass  # until the supervisor and all processes of the command have ended
        connection.close()

    @property
    def exit_code(self) -> int:
        if self._response is None:
            raise Lost
        return self._response[0]
