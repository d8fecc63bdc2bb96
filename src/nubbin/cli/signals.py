"""Being told to stop, for good or for a while."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

#: The exit code of a command that was told to stop.
INTERRUPTED = 128 + signal.SIGINT


@contextmanager
def ending_gently() -> Iterator[None]:
    """Let Ctrl-C, a polite kill and a closed terminal raise KeyboardInterrupt in the block.

    What is ignored stays so: `nohup nubbin` outlives its terminal.
    """
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.default_int_handler,
        signal.SIGHUP: _hung_up,
    }
    heard = [each for each in handlers if signal.getsignal(each) is not signal.SIG_IGN]
    before = [signal.signal(each, handlers[each]) for each in heard]
    try:
        yield
    finally:
        for each, handler in zip(heard, before, strict=True):
            signal.signal(each, handler)


def _hung_up(*_: object) -> None:
    # The kernel and the shell both tell of a closed terminal; the second is not impatience.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def standing_aside(hidden: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Let Ctrl-Z stop this process inside of `hidden()`, in the block.

    If it is ignored, as by a shell without job control, it stays so.
    """

    def stop(*_: object) -> None:
        with hidden():
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTSTP)  # returns when somebody has it go on
            signal.signal(signal.SIGTSTP, stop)

    before = signal.getsignal(signal.SIGTSTP)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
