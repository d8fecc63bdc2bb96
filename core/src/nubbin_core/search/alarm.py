"""Ends a call in the middle when its time is over, as Ctrl-C would, in any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_PERIOD_S = 0.1  # between two looks at the time
#: What is shielded has this long to come to its end: a large result may take far longer to write.
_MAX_SHIELDED_S = 1.0


class TimeIsOver(KeyboardInterrupt):
    """Raised between any two instructions, as by Ctrl-C: what that may interrupt, this may."""


def ended_when(is_over: Callable[[], bool], work: Callable[[], T], shield: threading.RLock) -> T:
    """Call `work`; raise TimeIsOver in it, once, soon after `is_over` is true.

    While the calling thread is in `shield`, a second later. A thread looks at the time, and
    no signal is sent: these belong to the program that calls us, and reach its main thread only.
    A call of C, and a wait that does not go through `nubbin_core.waiting`, must return first. What
    the garbage collector calls loses it, as it loses Ctrl-C; then the next query is refused.
    """
    thread = threading.get_ident()
    armed, done, deciding = {thread}, threading.Event(), threading.Lock()

    def watch() -> None:
        while armed and not is_over():
            done.wait(_PERIOD_S)
        if not armed:
            return
        has_ended = shield.acquire(timeout=_MAX_SHIELDED_S)
        with deciding:
            if armed:
                _raise_in(thread)
        if has_ended:
            shield.release()

    threading.Thread(target=watch, name="nubbin-time", daemon=True).start()
    try:
        return work()
    finally:
        armed.clear()  # a call of C, which Ctrl-C cannot end in the middle
        with deciding:
            pass  # what is to be raised has been by now
        done.set()  # a call of Python, where it arrives; Python 3.11 cannot take it back


def _raise_in(thread: int) -> None:
    with suppress(ImportError):  # a Python may lack it: then the next query is refused, no earlier
        import ctypes  # noqa: PLC0415 - only here

        error = ctypes.py_object(TimeIsOver)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
