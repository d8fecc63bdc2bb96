"""Ends a call in the middle when its time is over, as Ctrl-C would, in any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import TypeVar

T = TypeVar("T")

_PERIOD_S = 0.1  # between two looks at the time


class TimeIsOver(BaseException):
    """Raised between any two instructions; not an `Exception`, as KeyboardInterrupt is not."""


def ended_when(
    is_over: Callable[[], bool], work: Callable[[], T], shield: AbstractContextManager[object]
) -> T:
    """Call `work`; raise TimeIsOver in it, once, soon after `is_over` is true.

    Not while the calling thread is in `shield`, a reentrant lock. A thread looks at the time, and
    no signal is sent: these belong to the program that calls us, and reach its main thread only.
    A call of C, and a wait that does not go through `nubbin.waiting`, must return first. What the
    garbage collector calls loses it, as it loses Ctrl-C; then the next query is refused.
    """
    thread = threading.get_ident()
    armed, done = {thread}, threading.Event()

    def watch() -> None:
        while armed and not is_over():
            done.wait(_PERIOD_S)
        with shield:
            if armed:
                _raise_in(thread)

    threading.Thread(target=watch, name="nubbin-time", daemon=True).start()
    try:
        return work()
    finally:
        armed.clear()  # a call of C, which Ctrl-C cannot end in the middle
        with shield:
            pass  # what is to be raised has been by now
        done.set()  # a call of Python, where it arrives; Python 3.11 cannot take it back


def _raise_in(thread: int) -> None:
    with suppress(ImportError):  # a Python may lack it: then the next query is refused, no earlier
        import ctypes  # noqa: PLC0415 - only here

        error = ctypes.py_object(TimeIsOver)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
