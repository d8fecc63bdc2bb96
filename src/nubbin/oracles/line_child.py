"""A child process that is asked by lines: one to its standard input, one from its output."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Mapping, Sequence

from nubbin.oracles.output import PIPE_BYTES, Excerpt
from nubbin.oracles.process import Process
from nubbin.waiting import until

_EXCERPT = 32 << 10  # bytes kept from either end of what a child prints on standard error
_CHUNK = 1 << 16  # bytes
_SHOWN = 60  # bytes of a wrong line that are quoted


class NoLine(Exception):
    """The child has ended, or closed its standard output: there is no answer."""


class BadLine(Exception):
    """The child printed something else than one line for each question; the text says what."""


class LineChild:
    """A running child: a line to its standard input, a line back from its standard output.

    An answer has at most `max_bytes`. Nothing that the child does blocks us for longer than the
    limit of a question: not that it leaves a question unread, nor that it floods its outputs, of
    which no more is kept than the limit of an answer, and an excerpt of standard error.

    Used by one thread at a time; only `kill` may be called by others. Raises OSError when it
    cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        max_bytes: int,
    ):
        self._max_bytes = max_bytes
        self._unsent = memoryview(b"")
        self._heard = bytearray()  # the beginning of an answer
        self._said = Excerpt(_EXCERPT)
        self._silent = False
        self._closed = False
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        self._errors, theirs_err = os.pipe()
        os.set_blocking(self._to, False)
        try:
            self._process = Process(
                command,
                folder=folder,
                environment=environment,
                stdin=theirs_in,
                output=theirs_out,
                errors=theirs_err,
            )
        except OSError:
            self._close_pipes()
            raise
        finally:
            for descriptor in (theirs_in, theirs_out, theirs_err):
                os.close(descriptor)

    def ask(self, line: bytes, limit: float | None, wake: int | None = None) -> bytes | None:
        """Return the answer to a line, without its end; None if there is none yet.

        That is after `limit` seconds (None: no limit), or when the descriptor `wake` can be read;
        then `wait` goes on waiting for it. Raises NoLine, and BadLine for what came unasked, for
        more than a line, and for a line that is too long.
        """
        self._said = Excerpt(_EXCERPT)
        if self._from in self._ready(0, self._from):
            if unasked := os.read(self._from, _CHUNK):
                raise BadLine(f"printed {shown(unasked)} without being asked")
            raise NoLine
        self.send(line)
        return self.wait(limit, wake)

    def send(self, line: bytes) -> None:
        """Send a line that has no answer of its own; what does not fit the pipe goes later."""
        self._unsent = memoryview(bytes(self._unsent) + line + b"\n")
        self._feed()

    def wait(self, limit: float | None, wake: int | None = None) -> bytes | None:
        """Wait on for the answer to the last question; see `ask`."""
        deadline = math.inf if limit is None else time.monotonic() + limit
        waking = () if wake is None else (wake,)
        while True:
            ready = self._ready(deadline, self._from, *waking)
            if self._from in ready:
                chunk = os.read(self._from, _CHUNK)
                if not chunk:
                    raise NoLine
                if self._ends_with(chunk):
                    answer, self._heard = bytes(self._heard), bytearray()
                    return answer
            elif wake in ready or time.monotonic() >= deadline:
                return None

    def stderr(self) -> bytes:
        """What came on standard error since the last question, the middle left out."""
        for _ in range(PIPE_BYTES // _CHUNK):  # no more: a process that we missed may flood it
            if self._errors not in self._ready(0):
                break
        return bytes(self._said)

    def kill(self) -> None:
        """End the process and its group; may be called by any thread, and comes back at once."""
        self._process.kill()

    def close(self) -> int:
        """Kill the process and its group, once; return how it ended, see `Process.exit_code`."""
        if not self._closed:
            with self._process:
                pass  # kills the group, and waits
            self.stderr()
            self._silent = True
            self._close_pipes()
            self._closed = True
        return self._process.exit_code

    # -- bytes --------------------------------------------------------------------------------

    def _ready(self, deadline: float, *descriptors: int) -> set[int]:
        """Return those that can be read, at the latest at `deadline`; they may be none.

        Whatever we wait for, the child is fed what is unsent, and relieved of its errors.
        """
        poll = select.poll()
        for descriptor in descriptors:
            poll.register(descriptor, select.POLLIN)
        if not self._silent:
            poll.register(self._errors, select.POLLIN)
        if self._unsent:
            poll.register(self._to, select.POLLOUT)
        left = deadline - time.monotonic()
        ready = {each for each, _ in until(lambda period: poll.poll(1000 * period), left)}
        if self._errors in ready:
            chunk = os.read(self._errors, _CHUNK)
            self._said.add(chunk)
            self._silent = not chunk
        if self._to in ready:
            self._feed()
        return ready

    def _feed(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._to, self._unsent) :]
        except BlockingIOError:
            return  # the pipe is full
        except BrokenPipeError:
            pass  # it has ended, or reads no more
        self._unsent = memoryview(b"")  # an empty part would keep the whole in memory

    def _ends_with(self, chunk: bytes) -> bool:
        """Take in a part of an answer; tell whether it was the last."""
        line, end, more = chunk.partition(b"\n")
        self._heard += line
        if more:
            raise BadLine(f"printed more than one line: {shown(self._heard + end + more)}")
        if len(self._heard) > self._max_bytes:
            told = f"printed {shown(self._heard)}, more than {self._max_bytes} bytes for a line"
            raise BadLine(told)
        return bool(end)

    def _close_pipes(self) -> None:
        for descriptor in (self._to, self._from, self._errors):
            os.close(descriptor)


def shown(line: bytes | bytearray) -> str:
    """Return how a line begins, to be quoted in a sentence."""
    return repr(bytes(line[:_SHOWN])) + (" ..." if len(line) > _SHOWN else "")
