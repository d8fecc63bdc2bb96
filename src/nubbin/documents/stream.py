"""An input that is a stream: standard input, or what `<(...)` stands for in a shell."""

from __future__ import annotations

import os
import re
import select
from pathlib import Path

from nubbin.waiting import until

_STANDARD_INPUT = {"-": 0, "/dev/stdin": 0}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_CHUNK_BYTES = 1 << 20


def descriptor_of(given: Path) -> int | None:
    """Return the open file that `-`, /dev/stdin or /dev/fd/N means; None for any other path."""
    match = _DESCRIPTOR.fullmatch(str(given))
    return int(match[1]) if match else _STANDARD_INPUT.get(str(given))


def read_stream(descriptor: int) -> bytes:
    """Return all that is left to read, at the end of the stream; raises OSError."""
    chunks = []
    while chunk := _read(descriptor):
        chunks.append(chunk)
    return b"".join(chunks)


def _read(descriptor: int) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        until(lambda seconds: poll.poll(1000 * seconds))
        try:
            return os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:  # another reader was faster
            continue
