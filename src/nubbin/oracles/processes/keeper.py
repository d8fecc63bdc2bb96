"""Processes between nubbin and its tests, from which nothing that a test starts can get away.

Run as a program whose standard input is a socket of `nubbin.oracles.processes.keepers`. That is the
head: for each socket that it is sent, it forks a keeper, which starts commands one after the other.
Both are subreapers (see `nubbin.oracles.processes.descendants`), so what descends from a command is
the keeper's, and when the command has ended, the keeper kills it. If a test kills its keeper, what
it started is the head's, which kills it as well. The head ends all at the end of its input, and
when nubbin has ended, however that came about.

A request to a keeper is the size of its data, 4 bytes, with the three standard streams of the
command; then the data, by `marshal`: the command, its folder and its environment. Size 0 kills the
command. An answer is two numbers: an error number or 0 and whether that is about the folder, when
the command has started; its exit status and how many processes are left, when it has ended. First
of all, the head sends the number of the keeper on the keeper's socket, where it is never taken for
that of another if nubbin is interrupted before it is read.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nubbin.oracles.processes import warm
from nubbin.oracles.processes.descendants import (
    MAX_PAUSE_S,
    Killing,
    become_subreaper,
    end_children,
)

SIZE = struct.Struct("=I")
ANSWER = struct.Struct("=ii")
STREAMS = 3

_LOOK_PERIOD_MS = 1000  # between two looks of the head whether nubbin still lives
_HARMLESS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM")


def main() -> None:
    """Fork keepers, until the end of the socket that is standard input, or of our parent."""
    owner = os.getppid()
    control = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)  # the null device
    # A test may send signals to its parent. What is handled here has its usual effect in the test.
    for name in _HARMLESS:
        if signal.getsignal(name_of := signal.Signals[name]) is not signal.SIG_IGN:
            signal.signal(name_of, lambda *_: None)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
    if become_subreaper():
        left = _Head(control, owner).serve()
        with suppress(OSError):
            control.sendall(", ".join(map(_described, left)).encode())


class _Head:
    def __init__(self, control: socket.socket, owner: int):
        self._control = control
        self._owner = owner
        self._keepers: set[int] = set()
        self._left: set[int] = set()  # could not be ended

    def serve(self) -> list[int]:
        """Serve until the end; then end all, and return what could not be ended."""
        with _wakened() as wake:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            poll.register(wake, select.POLLIN)
            while os.getppid() == self._owner:
                ready = {each for each, _ in poll.poll(_LOOK_PERIOD_MS)}
                if wake in ready:
                    os.read(wake, 1 << 12)
                    self._look_after()
                if self._control.fileno() in ready and not self._serve_next():
                    break
            return end_children()

    def _serve_next(self) -> bool:
        """Fork a keeper for the next socket; return false if there is none."""
        with suppress(ConnectionError):
            message, descriptors = _received_with(self._control, 1)
            for each in descriptors:
                self._fork(each)
            return bool(message)
        return False

    def _fork(self, descriptor: int) -> None:
        """Fork a keeper for a socket; say its number there, or 0 if the system refuses."""
        with socket.socket(fileno=descriptor) as requests, suppress(ConnectionError):
            try:
                pid = os.fork()
            except (OSError, MemoryError):
                requests.sendall(SIZE.pack(0))
                return
            if pid == 0:
                try:
                    self._control.close()
                    os.setpgid(0, 0)  # so that it outlives the head, and ends its command itself
                    become_subreaper()
                    with suppress(ConnectionError), _wakened() as wake:
                        _keep(requests, wake)
                    end_children()
                except warm.Forked:
                    raise
                except BaseException:
                    os._exit(1)
                os._exit(0)
            self._keepers.add(pid)
            requests.sendall(SIZE.pack(pid))

    def _look_after(self) -> None:
        """Let keepers go on that a test has stopped, and end what those left that have ended."""
        for keeper in list(self._keepers):
            pid, status = os.waitpid(keeper, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                os.kill(keeper, signal.SIGCONT)
            elif pid:
                self._keepers.discard(keeper)
        self._left.update(end_children(self._keepers | self._left))


def _keep(requests: socket.socket, wake: int) -> None:
    """Run one command after the other, to the last request or one that cannot be ended."""
    while (request := _received(requests)) is not None:
        data, streams = request
        if not data:
            continue  # what was to be killed had just ended
        command, folder, environment = marshal.loads(data)
        try:
            leader = _start(command, folder, environment, streams)
        except (OSError, ValueError) as error:  # the latter: a variable without a name
            number = getattr(error, "errno", None) or errno.EINVAL
            requests.sendall(ANSWER.pack(number, getattr(error, "filename", None) == folder))
            continue
        finally:
            for each in streams:
                os.close(each)
        requests.sendall(ANSWER.pack(0, 0))
        status = _wait(leader, requests, wake)
        left = len(end_children())
        requests.sendall(ANSWER.pack(status, left))
        if left:
            break  # the head adopts it, and the next command gets another keeper


def _start(
    command: list[bytes], folder: bytes, environment: dict[bytes, bytes], streams: list[int]
) -> int:
    """Start a command in a session of its own; return its id."""
    os.chdir(folder)
    if command[0] == warm.FORK:
        leader = warm.fork(command[1:], environment, streams)  # it stays in the folder
        os.chdir("/")
        return leader
    try:
        return os.posix_spawnp(
            command[0],
            command,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, each, to) for to, each in enumerate(streams)],
            setsid=True,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores them
        )
    finally:
        os.chdir("/")


def _wait(leader: int, requests: socket.socket, wake: int) -> int:
    """Wait until a command ends or is to be killed, and kill its group; return its exit status.

    That is minus the number of a signal that ended it. One that could not be killed is not reaped.
    """
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    poll.register(wake, select.POLLIN)
    killing = Killing()
    timeout_ms = None
    while (ready := {each for each, _ in poll.poll(timeout_ms)}) or killing.go_on([leader]):
        if requests.fileno() in ready:  # size 0, or the end
            with suppress(ConnectionError):
                requests.recv(SIZE.size)
            poll.unregister(requests)
            timeout_ms = 1000 * MAX_PAUSE_S
            _kill_group(leader)
            continue  # it may have ended by itself just before
        if wake in ready:
            os.read(wake, 1 << 12)
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == leader:
                _kill_group(leader)  # not reaped, so the number is still that of its group
                return os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])
            os.waitpid(ended.si_pid, 0)
    return -signal.SIGKILL


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _received(requests: socket.socket) -> tuple[bytes, list[int]] | None:
    """Return the data and the streams of the next request; None at the end."""
    head, streams = _received_with(requests, SIZE.size)
    if not head:
        return None
    data = bytearray()
    (size,) = SIZE.unpack(head)
    while len(data) < size and (chunk := requests.recv(size - len(data))):
        data += chunk
    return bytes(data), streams


def _received_with(connection: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """Return the next bytes, and the descriptors that came with them, which no command inherits."""
    data, descriptors, *_ = socket.recv_fds(connection, size, STREAMS)
    for each in descriptors:
        os.set_inheritable(each, False)
    return data, descriptors


@contextmanager
def _wakened() -> Iterator[int]:
    """Yield the descriptor of a pipe that can be read when a signal has come."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def _described(pid: int) -> str:
    try:
        name = Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        name = "a process"
    return f"{name} ({pid})"


if __name__ == "__main__":
    main()
