"""Open files of this process: those that a path means, and one that is the input, a stream."""

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
#: Of an input: of more, the candidates, the trees and the journal of a run would fill the memory,
#: and a stream is taken for endless.
MAX_BYTES = 1 << 30


def descriptor_of(given: Path) -> int | None:
    """Return the open file that `-`, /dev/stdin, /dev/fd/N or the like means; None for others."""
    match = _DESCRIPTOR.fullmatch(str(given))
    return int(match[1]) if match else _STANDARD.get(str(given))


def read_stream(descriptor: int) -> bytes:
    """Return all that is left to read, at the end of the stream.

    Raises OSError, for one of more than 1 GiB as well.
    """
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
