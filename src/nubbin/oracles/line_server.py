"""A process that answers line by line."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from nubbin.oracles.output import Excerpt
from nubbin.oracles.process import Process
from nubbin.oracles.waiting import until

_EXCERPT = 32 << 10  # bytes kept from either end of what a server prints on standard error
_CHUNK = 1 << 16
_LONGEST = 1 << 12  # bytes of an answer
_DYING = 10.0  # seconds until a server that was told to stop its work is thought to hang


class NoLine(Exception):
    """There is no answer: the server has ended, or must be."""


class LineServer:
    """A running server: a line to its standard input, a line back from its standard output.

    One that `obeys` stops what it does, and answers, when it gets an empty line. Used by one
    thread at a time; only `give_up` and `kill` may be called by others. Raises OSError when it
    cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: str,
        environment: Mapping[bytes, bytes],
        obeys: bool = False,
    ):
        self.asked = 0
        self.in_time = True
        self._obeys = obeys
        self._said = Excerpt(_EXCERPT)
        self._silent = False
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        self._errors, theirs_err = os.pipe()
        self._woken, self._wake = os.pipe()
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

    def ask(self, line: bytes, limit: float | None, patience: float) -> bytes:
        """Return the answer to a line; `in_time` tells then whether it came by itself.

        Waits for `limit` seconds (None: no limit), but for no more than `patience` from when the
        question is given up. Raises NoLine.
        """
        self.asked += 1
        self.in_time = True
        self._said = Excerpt(_EXCERPT)
        self._send(line)
        deadline = math.inf if limit is None else time.monotonic() + limit
        answer = self._line(deadline)
        if answer is None and time.monotonic() < deadline and not self._obeys:
            os.read(self._woken, 1)
            answer = self._line(min(deadline, time.monotonic() + patience))
        if answer is None:
            self.in_time = False
            if not self._obeys:
                raise NoLine
            self._send(b"")
            self._calm()
            answer = self._line(time.monotonic() + _DYING)
            if answer is None:
                raise NoLine
        self._calm()
        return answer

    def give_up(self) -> None:
        """Say that nobody needs the answer any more; comes back at once."""
        os.write(self._wake, b"!")

    def said(self) -> bytes:
        """What came on standard error since the last question, the middle left out."""
        while not self._silent and self._ready(0, self._errors):
            self._take_errors()
        return bytes(self._said)

    def kill(self) -> None:
        """End the process and its group; may be called by any thread, and comes back at once."""
        self._process.kill()

    def close(self) -> int:
        """Kill the process and its group; return how it ended, see `Process.exit_code`."""
        with self._process:
            pass  # kills the group, and waits
        self.said()
        self._silent = True
        self._close_pipes()
        return self._process.exit_code

    # -- lines --------------------------------------------------------------------------------

    def _send(self, line: bytes) -> None:
        with suppress(BrokenPipeError):  # it has ended: there will be no answer
            os.write(self._to, line + b"\n")

    def _line(self, deadline: float) -> bytes | None:
        """Return the next line; None when the time is over or the question given up.

        What comes with it, or is too long for one, is taken for a part of it. Raises NoLine when
        the server has ended.
        """
        heard = b""
        while True:
            errors = [] if self._silent else [self._errors]
            ready = self._ready(deadline, self._from, self._woken, *errors)
            if self._errors in ready:
                self._take_errors()
            if self._from in ready:
                chunk = os.read(self._from, _CHUNK)
                heard += chunk
                if b"\n" in chunk or len(heard) > _LONGEST:
                    return heard.removesuffix(b"\n").strip()
                if not chunk:
                    raise NoLine
            elif not ready or self._woken in ready:
                return None

    def _ready(self, deadline: float, *descriptors: int) -> set[int]:
        """Return those that can be read; none when it is later than `deadline`."""
        poll = select.poll()
        for descriptor in descriptors:
            poll.register(descriptor, select.POLLIN)
        left = deadline - time.monotonic()
        return {each for each, _ in until(lambda period: poll.poll(1000 * period), left)}

    def _take_errors(self) -> None:
        chunk = os.read(self._errors, _CHUNK)
        self._said.add(chunk)
        self._silent = not chunk

    def _calm(self) -> None:
        while self._ready(0, self._woken):
            os.read(self._woken, _CHUNK)

    def _close_pipes(self) -> None:
        for descriptor in (self._to, self._from, self._errors, self._woken, self._wake):
            os.close(descriptor)
