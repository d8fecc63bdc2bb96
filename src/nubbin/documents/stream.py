"""An input that is a stream: standard input, or what `<(...)` stands for in a shell."""

from __future__ import annotations

import errno
import os
import re
import select
from pathlib import Path

from nubbin.waiting import until

_STANDARD_INPUT = {"-": 0, "/dev/stdin": 0}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_CHUNK_BYTES = 1 << 20
#: A stream that is longer is taken for endless: one would fill the memory.
_MAX_BYTES = 1 << 30


def descriptor_of(given: Path) -> int | None:
    """Return the open file that `-`, /dev/stdin or /dev/fd/N means; None for any other path."""
    match = _DESCRIPTOR.fullmatch(str(given))
    return int(match[1]) if match else _STANDARD_INPUT.get(str(given))


def read_stream(descriptor: int) -> bytes:
    """Return all that is left to read, at the end of the stream.

    Raises OSError, for one of more than 1 GiB as well.
    """
    data = bytearray()
    while chunk := _read(descriptor):
        data += chunk
        if len(data) > _MAX_BYTES:
            raise OSError(
                errno.EFBIG, "it has not ended after 1 GiB; if it ends, save it in a file"
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
