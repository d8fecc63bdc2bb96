"""Being told to stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_gently() -> Iterator[None]:
    """Let a polite kill and a closed terminal do what Ctrl-C does: raise KeyboardInterrupt."""
    signals = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(each, signal.default_int_handler) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
