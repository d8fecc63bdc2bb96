"""Signals: Ctrl-C and the like end a run gently, Ctrl-Z hides the display while stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

#: The exit code of an interrupted command.
INTERRUPTED = 128 + signal.SIGINT


@contextmanager
def ending_gently() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the block.

    A signal that is ignored stays ignored: `nohup nubbin` outlives its terminal.
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
    # The kernel and the shell both send it for a closed terminal; the second is not impatience.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def standing_aside(hidden: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """In the block, let Ctrl-Z stop this process inside of `hidden()`.

    If it is ignored, as by a shell without job control, it stays ignored.
    """

    def stop(*_: object) -> None:
        with hidden():
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTSTP)  # returns when the process is continued
            signal.signal(signal.SIGTSTP, stop)

    before = signal.getsignal(signal.SIGTSTP)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
