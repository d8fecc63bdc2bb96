"""Let Ctrl-C and similar signals end a run gently, and hide the display after Ctrl-Z."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from queue import Empty, SimpleQueue
from types import FrameType

from nubbin_core.waiting import join

_MOMENT_S = 0.5  # after a signal, in which no message is needed


@contextmanager
def ending_gently(say: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the block.

    If the block takes more than a moment to end after that, another thread calls `say`. Signals
    that were ignored are still ignored, so that `nohup nubbin` outlives its terminal.
    """
    # A handler may interrupt code that holds a lock, and this queue needs no lock.
    heard_or_over: SimpleQueue[bool] = SimpleQueue()

    def interrupt(*_: object) -> None:
        heard_or_over.put(True)
        raise KeyboardInterrupt

    def hung_up(*_: object) -> None:
        # Both the kernel and the shell send this signal when a terminal is closed.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        interrupt()

    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {
        signal.SIGINT: interrupt,
        signal.SIGTERM: interrupt,
        signal.SIGHUP: hung_up,
    }
    teller = threading.Thread(
        target=_tell, args=(heard_or_over, say), name="nubbin-signals", daemon=True
    )
    teller.start()
    heard = [each for each in handlers if signal.getsignal(each) is not signal.SIG_IGN]
    before = [signal.signal(each, handlers[each]) for each in heard]
    try:
        yield
    finally:
        for each, handler in zip(heard, before, strict=True):
            signal.signal(each, handler)
        heard_or_over.put(False)
        join(teller)


def _tell(heard_or_over: SimpleQueue[bool], say: Callable[[], object]) -> None:
    """Call `say` a moment after a signal, unless the block has ended by then."""
    if heard_or_over.get():
        try:
            while heard_or_over.get(timeout=_MOMENT_S):
                pass  # one more signal
        except Empty:
            say()


@contextmanager
def standing_aside(hidden: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """During the block, let Ctrl-Z stop this process inside `hidden()`.

    If the signal was ignored, as in a shell without job control, it is still ignored.
    """

    def stop(*_: object) -> None:
        with hidden():
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTSTP)  # returns when the process continues
            signal.signal(signal.SIGTSTP, stop)

    before = signal.getsignal(signal.SIGTSTP)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
