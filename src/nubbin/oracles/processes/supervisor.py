"""Supervise the commands of tests, so that no process that a test starts can escape.

Run as a program whose standard input is a socket of `nubbin.oracles.processes.supervisors`. This
first process, the fork server, forks a supervisor for each socket that it receives. A supervisor
runs one command after the other, and kills all descendants of each when it has ended. If a test
kills its supervisor, the fork server kills them: both are subreapers (see
`nubbin.oracles.processes.descendants`). The fork server ends all processes when its input ends, or
nubbin has ended for any reason.

A request to a supervisor is the size of its data, with the three standard streams of the command;
then the data, by `marshal`: the command, its folder and its environment. Size 0 kills the command.
The response is two numbers when the command has started: the id of the supervisor, or minus the
number of an error, and whether the error is about the folder. It is two more when the command has
ended: its exit status, and how many processes remain.
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
    kill_group,
)

SIZE = struct.Struct("=I")
RESPONSE = struct.Struct("=ii")
_STREAMS = 3

_LOOK_PERIOD_MS = 1000  # between two checks of the fork server whether nubbin still runs
_HARMLESS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM")


def main() -> None:
    """Fork supervisors until standard input, a socket, ends, or the parent process does."""
    owner = os.getppid()
    control = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)  # the null device
    # A test may send signals to its parent. A handler here leaves the default action to the test.
    for name in _HARMLESS:
        if signal.getsignal(name_of := signal.Signals[name]) is not signal.SIG_IGN:
            signal.signal(name_of, lambda *_: None)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
    if become_subreaper():
        left = _ForkServer(control, owner).serve()
        with suppress(OSError):
            control.sendall(", ".join(map(_described, left)).encode())


class _ForkServer:
    def __init__(self, control: socket.socket, owner: int):
        self._control = control
        self._owner = owner
        self._supervisors: set[int] = set()
        self._left: set[int] = set()  # could not be ended

    def serve(self) -> list[int]:
        """Serve until the end; then end all children, and return those that could not be ended."""
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
        """Fork a supervisor for the next socket; return false if there is none."""
        with suppress(ConnectionError):
            message, descriptors = _received_with(self._control, 1)
            for each in descriptors:
                self._fork(each)
            return bool(message)
        return False

    def _fork(self, descriptor: int) -> None:
        with socket.socket(fileno=descriptor) as requests, suppress(ConnectionError):
            try:
                pid = os.fork()
            except (OSError, MemoryError):
                requests.sendall(RESPONSE.pack(-errno.EAGAIN, 0))
                return
            if pid == 0:
                try:
                    self._control.close()
                    os.setpgid(0, 0)  # so that it outlives the fork server, and ends its command
                    become_subreaper()
                    with suppress(ConnectionError), _wakened() as wake:
                        _supervise(requests, wake)
                    end_children()
                except warm.Forked:
                    raise
                except BaseException:
                    os._exit(1)
                os._exit(0)
            self._supervisors.add(pid)

    def _look_after(self) -> None:
        """Resume supervisors that a test has stopped, and end the children of ended ones."""
        for supervisor in list(self._supervisors):
            pid, status = os.waitpid(supervisor, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                os.kill(supervisor, signal.SIGCONT)
            elif pid:
                self._supervisors.discard(supervisor)
        self._left.update(end_children(self._supervisors | self._left))


def _supervise(requests: socket.socket, wake: int) -> None:
    """Run one command after the other, until the requests end or a command cannot be killed."""
    left = 0
    while not left:
        head, streams = _received_with(requests, SIZE.size)
        if not head:
            return
        (size,) = SIZE.unpack(head)
        if not size:
            continue  # the command to be killed had just ended
        data = b""
        while len(data) < size and (chunk := requests.recv(size - len(data))):
            data += chunk
        command, folder, environment = marshal.loads(data)
        try:
            leader = _start(command, folder, environment, streams)
        except (OSError, ValueError) as error:  # the latter: a variable without a name
            number = getattr(error, "errno", None) or errno.EINVAL
            requests.sendall(RESPONSE.pack(-number, getattr(error, "filename", None) == folder))
            continue
        finally:
            for each in streams:
                os.close(each)
        requests.sendall(RESPONSE.pack(os.getpid(), 0))
        status = _wait(leader, requests, wake)
        left = len(end_children())  # the fork server adopts them
        requests.sendall(RESPONSE.pack(status, left))


def _start(
    command: list[bytes], folder: bytes, environment: dict[bytes, bytes], streams: list[int]
) -> int:
    """Start a command in a session of its own; return its id."""
    os.chdir(folder)
    if command[0] == warm.FORK:
        leader = warm.fork_program(command[1:], environment, streams)  # the fork keeps the folder
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
    """Wait until a command ends or a request kills it, and kill its group; return its exit status.

    The status is minus the number of a signal that ended it. If it cannot be killed, it is not
    reaped.
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
            kill_group(leader)
            continue  # it may have ended by itself just before
        if wake in ready:
            os.read(wake, 1 << 12)
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == leader:
                kill_group(leader)
                return os.waitstatus_to_exitcode(os.waitpid(leader, 0)[1])
            os.waitpid(ended.si_pid, 0)
    return -signal.SIGKILL


def _received_with(connection: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """Return the next bytes and the descriptors sent with them, which no command inherits."""
    data, descriptors, *_ = socket.recv_fds(connection, size, _STREAMS)
    for each in descriptors:
        os.set_inheritable(each, False)
    return data, descriptors


@contextmanager
def _wakened() -> Iterator[int]:
    """Yield the descriptor of a pipe that becomes readable when a signal arrives."""
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
