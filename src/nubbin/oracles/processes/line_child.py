"""A child process that answers line by line: a server, a fork server, a pass."""

from __future__ import annotations

import math
import os
import select
import signal
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence

from nubbin.oracles.output import MAX_PIPE_BYTES, Excerpt
from nubbin.oracles.processes.process import Lost, Process, Running
from nubbin_core.waiting import until

_CHUNK_BYTES = 1 << 16
_MAX_SHOWN_BYTES = 60  # of a wrong line


class NoLine(Exception):
    """There is no response: the child has ended, or closed its standard output."""


class BadLine(Exception):
    """The child did not print one line for each request; the message says what it printed."""


class LineChild:
    """A running child that reads lines from its standard input, and answers each by a line.

    A response has at most `max_bytes`. The child blocks the caller for no longer than the limit of
    a request, even if it leaves the request unread or floods its outputs. At most `max_bytes` of
    its standard output are kept, and an excerpt of its standard error. `start` starts it, by
    default as the leader of a process group that ends with it.

    Used by one thread at a time; others may only call `kill`. Raises OSError if it cannot be
    started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        max_bytes: int,
        start: Callable[..., Running] = Process,
    ):
        self._max_bytes = max_bytes
        self._unsent = memoryview(b"")
        self._received = bytearray()  # the beginning of a response
        self._excerpt = Excerpt()
        self._stderr_ended = False
        self._closed = False
        child_in, self._stdin = os.pipe()
        self._stdout, child_out = os.pipe()
        self._stderr, child_err = os.pipe()
        ours = (self._stdin, self._stdout, self._stderr)
        self._close_pipes = weakref.finalize(self, _close, ours)
        self._close_pipes.atexit = False  # its owner may still close it at exit
        os.set_blocking(self._stdin, False)
        try:
            self._process = start(
                command,
                folder=folder,
                environment=environment,
                streams=(child_in, child_out, child_err),
            )
        finally:
            _close((child_in, child_out, child_err))
        self.kill = self._process.kill

    def ask(self, line: bytes, limit: float | None, wake: int | None = None) -> bytes | None:
        """Send a line, and return the response without its line end; None if there is none yet.

        Waits for `limit` seconds (None: no limit), or until the descriptor `wake` is readable. Then
        `wait` can wait longer. Raises NoLine, and BadLine if the child prints without a request,
        more than one line, or a line that is too long.
        """
        self._excerpt = Excerpt()
        if self._stdout in self._ready(0, self._stdout):
            if unasked := os.read(self._stdout, _CHUNK_BYTES):
                raise BadLine(f"printed {quoted_line(unasked)} without being asked")
            raise NoLine
        self.send(line)
        return self.wait(limit, wake)

    def send(self, line: bytes) -> None:
        """Send a line that has no response; bytes that do not fit the pipe are sent by `wait`."""
        self._unsent = memoryview(bytes(self._unsent) + line + b"\n")
        self._feed()

    def wait(self, limit: float | None, wake: int | None = None) -> bytes | None:
        """Wait longer for the response to the last request; see `ask`."""
        deadline = math.inf if limit is None else time.monotonic() + limit
        waking = () if wake is None else (wake,)
        while True:
            ready = self._ready(deadline, self._stdout, *waking)
            if self._stdout in ready:
                chunk = os.read(self._stdout, _CHUNK_BYTES)
                if not chunk:
                    raise NoLine
                if self._ends_with(chunk):
                    response, self._received = bytes(self._received), bytearray()
                    return response
            elif wake in ready or time.monotonic() >= deadline:
                return None

    def stderr(self) -> bytes:
        """Return an excerpt of the standard error since the last request."""
        # A bounded number of times, because an unknown process may flood it.
        for _ in range(MAX_PIPE_BYTES // _CHUNK_BYTES):
            if self._stderr not in self._ready(0):
                break
        return bytes(self._excerpt)

    def close(self) -> int:
        """Kill the process and its group; return its exit code, see `Process.exit_code`."""
        if not self._closed:
            with self._process:
                pass  # kills the group, and waits
            self.stderr()
            self._stderr_ended = True
            self._unsent = memoryview(b"")  # the descriptor's number will be used again
            self._close_pipes()
            self._closed = True
        try:
            return self._process.exit_code
        except Lost:
            return -signal.SIGKILL

    # -- bytes --------------------------------------------------------------------------------

    def _ready(self, deadline: float, *descriptors: int) -> set[int]:
        """Wait until some of `descriptors` are readable, and return them; none at `deadline`.

        Meanwhile, unsent bytes are written and standard error is read. It also returns after each
        of these, then maybe with none.
        """
        poll = select.poll()
        for descriptor in descriptors:
            poll.register(descriptor, select.POLLIN)
        if not self._stderr_ended:
            poll.register(self._stderr, select.POLLIN)
        if self._unsent:
            poll.register(self._stdin, select.POLLOUT)
        left = deadline - time.monotonic()
        ready = {each for each, _ in until(lambda period: poll.poll(1000 * period), left)}
        if self._stderr in ready:
            chunk = os.read(self._stderr, _CHUNK_BYTES)
            self._excerpt.add(chunk)
            self._stderr_ended = not chunk
        if self._stdin in ready:
            self._feed()
        return ready

    def _feed(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:  # the pipe is full
            return
        except BrokenPipeError:
            pass  # the child has ended, or reads no more
        self._unsent = memoryview(b"")  # an empty part would keep the whole in memory

    def _ends_with(self, chunk: bytes) -> bool:
        line, end, more = chunk.partition(b"\n")
        self._received += line
        if more:
            raise BadLine(f"printed more than one line: {quoted_line(self._received + end + more)}")
        if len(self._received) > self._max_bytes:
            most = f"more than {self._max_bytes} bytes for a line"
            raise BadLine(f"printed {quoted_line(self._received)}, {most}")
        return bool(end)


def _close(descriptors: Iterable[int]) -> None:
    for each in descriptors:
        os.close(each)


def quoted_line(line: bytes | bytearray) -> str:
    """Return the beginning of a line, for a sentence that quotes it."""
    return repr(bytes(line[:_MAX_SHOWN_BYTES])) + (" ..." if len(line) > _MAX_SHOWN_BYTES else "")
