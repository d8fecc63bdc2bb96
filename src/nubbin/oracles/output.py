"""Read the output of a test while it is printed, and keep it up to a limit."""

from __future__ import annotations

import fcntl
import os
import select
import textwrap
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from nubbin.pattern import pattern
from nubbin_core.waiting import join

#: The capacity of a pipe that any process may ask for.
MAX_PIPE_BYTES = 1 << 20

#: A run that prints more than this counts as endless.
FLOOD_BYTES = 64 << 20

_CHUNK_BYTES = 1 << 16
#: After this much output, small pieces are read only once per period: each of them would wake the
#: reader, which delays the writer.
_MUCH_BYTES = 1 << 20
_PERIOD_MS = 5
_EXCERPT_BYTES = 64 << 10
_MAX_QUOTED_LINES = 10
_ESCAPES = pattern(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


def quoted_output(output: bytes) -> str:
    """Return the last lines of an output as a block below a paragraph; "" if there are none."""
    text = output.decode(errors="replace").strip()
    if not text:
        return ""
    last = "\n".join(text.splitlines()[-_MAX_QUOTED_LINES:])
    return "\n\nThe last lines it printed:\n" + textwrap.indent(last, "    ")


def plain(output: bytes) -> bytes:
    """Return an output without the codes for colours, cursor movements and links."""
    return _ESCAPES.sub(b"", output) if b"\x1b" in output else output


def excerpt(output: bytes, size: int = _EXCERPT_BYTES) -> bytes:
    """Return the first and the last half of `size` bytes of an output, or all of a shorter one."""
    short = Excerpt(size)
    short.add(output)
    return bytes(short)


class Excerpt:
    """The first and the last half of `size` bytes of a longer stream, or all of a shorter one."""

    def __init__(self, size: int = _EXCERPT_BYTES):
        self._half = size // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        """Append the next part of the stream."""
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def __bytes__(self) -> bytes:
        gap = b"\n[... %d bytes left out ...]\n" % self._dropped if self._dropped else b""
        return bytes(self._head) + gap + bytes(self._tail)


class PipeReader:
    """Reads a pipe to its end in a thread, so that the writer never waits for long.

    A context manager; `writer` is the end for a process. After the block, `excerpt` holds at most
    `size` bytes of the output. The block ends even if an unknown process still holds the pipe, and
    floods it. If more than FLOOD_BYTES are written, it `is_flooded`, and `on_flood` is called once.
    """

    def __init__(self, size: int = _EXCERPT_BYTES) -> None:
        self.excerpt = Excerpt(size)
        self.is_flooded = False
        self.on_flood: Callable[[], object] = bool
        self._reader, self.writer = os.pipe()
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._run, name="nubbin-output", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._waker)
        join(self._thread)
        for descriptor in (self._reader, self.writer, self._wake):
            os.close(descriptor)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        pause = select.poll()
        pause.register(self._wake, select.POLLIN)
        left, room, capacity = MAX_PIPE_BYTES, FLOOD_BYTES, 0
        while left > 0:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if self._reader not in ready:
                return  # the block has ended, and there is no more to read
            chunk = os.read(self._reader, _CHUNK_BYTES)
            self.excerpt.add(chunk)
            room -= len(chunk)
            if room < 0 and not self.is_flooded:
                self.is_flooded = True
                self.on_flood()
            if self._wake in ready:
                left -= len(chunk)
            elif room < FLOOD_BYTES - _MUCH_BYTES:
                capacity = capacity or _enlarged(self._reader)
                if 2 * len(chunk) < min(capacity, _CHUNK_BYTES):
                    pause.poll(_PERIOD_MS)


def _enlarged(pipe: int) -> int:
    """Give a pipe the largest capacity; return that in bytes, 1 if it is not known."""
    if not hasattr(fcntl, "F_SETPIPE_SZ"):  # macOS
        return 1
    with suppress(OSError):  # the user has too many large pipes
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, MAX_PIPE_BYTES)
    return fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
