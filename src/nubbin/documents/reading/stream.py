"""Read the input from a stream: standard input, or another open file of this process."""

from __future__ import annotations

import errno
import os
import select
from pathlib import Path

from nubbin.pattern import pattern
from nubbin_core.waiting import until

#: The name of an input that is a stream, unless the user names it.
STREAM_NAME = "input"
_STANDARD = {"-": 0, "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = pattern(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_CHUNK_BYTES = 1 << 20
#: The most that an input can have: with more, the candidates, trees and journal of a run would fill
#: the memory. A longer stream is taken for endless.
MAX_BYTES = 1 << 30


def descriptor_of(given: Path) -> int | None:
    """Return the descriptor that `-`, /dev/stdin, /dev/fd/N or the like names; None for others."""
    match = _DESCRIPTOR.fullmatch(str(given))
    return int(match[1]) if match else _STANDARD.get(str(given))


def read_stream(descriptor: int) -> bytes:
    """Return everything up to the end of a stream; raises OSError, also for more than 1 GiB."""
    data = bytearray()
    while chunk := _read(descriptor):
        data += chunk
        if len(data) > MAX_BYTES:
            raise OSError(
                errno.EFBIG, "it has not ended after 1 GiB, the most that nubbin holds in memory"
            )
    return bytes(data)


def _read(descriptor: int) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        until(lambda seconds: poll.poll(1000 * seconds))
        try:
            return os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:  # another reader was faster
            continue
