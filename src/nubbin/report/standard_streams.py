"""Standard output and standard error that never fail, even if their reader has ended."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from nubbin.text.figures import visible

TYPE_CHECKING = False  # as in `typing`
if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Descriptor(io.FileIO):
    """A file whose writes never fail: it drops data that cannot be written.

    `error` is the reason; None if no data was dropped, or if the reader has ended.
    """

    error: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all data; waits for the reader."""
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
    """A standard stream that makes control characters visible.

    `styled` is the same stream for consoles that do so themselves, and then add colours.
    """

    def __init__(self, descriptor: int, encoding: str | None):
        self.descriptor = Descriptor(descriptor, "w", closefd=False)
        self.styled = io.TextIOWrapper(
            self.descriptor, encoding, "backslashreplace", write_through=True
        )
        super().__init__(self.descriptor, encoding, "backslashreplace", write_through=True)

    def write(self, text: str, /) -> int:
        """Write a text, with unprintable characters made visible."""
        super().write(visible(text))
        return len(text)


def set_up() -> None:
    """Replace the standard streams of this process by ones that can always be written.

    Opens /dev/null for closed streams, so that no file that is opened later gets their number.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = Stream(1, getattr(sys.stdout, "encoding", None))
    sys.stderr = Stream(2, getattr(sys.stderr, "encoding", None))


def styled(stream: IO[str]) -> IO[str]:
    """Return a standard stream for a console that makes text visible and adds colours."""
    return stream.styled if isinstance(stream, Stream) else stream


def unwritten() -> OSError | None:
    """Return why standard output is incomplete; None if it is complete, or its reader has ended."""
    return sys.stdout.descriptor.error if isinstance(sys.stdout, Stream) else None


class VisibleConsole(Console):
    """A console that makes text visible before it adds colours."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return what to write, piece by piece."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


def stdout_console() -> Console:
    """Return a console that writes to standard output."""
    return VisibleConsole(file=styled(sys.stdout))


def stderr_console() -> Console:
    """Return a console that writes to standard error."""
    return VisibleConsole(file=styled(sys.stderr))
