"""Standard output and standard error, whoever reads them."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import IO

from nubbin.report.visible import visible

TYPE_CHECKING = False  # as in `typing`
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Descriptor(io.FileIO):
    """A file to write to that never fails: what cannot be written is dropped.

    `error` is why something was dropped; None if nothing was, or the reader has gone away.
    """

    error: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of the data, as fast as the reader reads."""
        left = memoryview(data)
        size = left.nbytes
        try:
            while left:
                written: int | None = super().write(left)
                if written is None:  # another process has made it non-blocking
                    select.select((), (self,), ())
                else:
                    left = left[written:]
        except OSError as error:
            if error.errno != errno.EPIPE:
                self.error = error
        return size


class Stream(io.TextIOWrapper):
    """A standard stream on which a terminal obeys nothing.

    `styled` is the same stream for whoever has made its text visible and adds colours.
    """

    def __init__(self, descriptor: int, encoding: str | None):
        self.descriptor = Descriptor(descriptor, "w", closefd=False)
        self.styled = io.TextIOWrapper(
            self.descriptor, encoding, "backslashreplace", write_through=True
        )
        super().__init__(self.descriptor, encoding, "backslashreplace", write_through=True)

    def write(self, text: str, /) -> int:
        """Write a text with everything unprintable made visible."""
        super().write(visible(text))
        return len(text)


def set_up() -> None:
    """Give this process standard streams that can be written to, to the end.

    Those that are closed lead to /dev/null, so that no file that is opened later takes their place.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = Stream(1, getattr(sys.stdout, "encoding", None))
    sys.stderr = Stream(2, getattr(sys.stderr, "encoding", None))


def styled_stderr() -> IO[str]:
    """Return standard error for a console, which makes text visible and adds colours."""
    return sys.stderr.styled if isinstance(sys.stderr, Stream) else sys.stderr


def unwritten() -> OSError | None:
    """Return why something is missing from standard output; None if all was written or wanted."""
    return sys.stdout.descriptor.error if isinstance(sys.stdout, Stream) else None
