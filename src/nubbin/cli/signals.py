"""Being told to stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

#: The exit code of a command that was told to stop.
INTERRUPTED = 128 + signal.SIGINT


@contextmanager
def ending_gently() -> Iterator[None]:
    """Let Ctrl-C, a polite kill and a closed terminal raise KeyboardInterrupt in the block.

    What is ignored stays so: `nohup nubbin` outlives its terminal.
    """
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heard = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]
    before = [signal.signal(each, signal.default_int_handler) for each in heard]
    try:
        yield
    finally:
        for each, handler in zip(heard, before, strict=True):
            signal.signal(each, handler)
