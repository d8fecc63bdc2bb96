"""Interrupts a call when its time is over, as Ctrl-C would, in any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_PERIOD_S = 0.1  # between two looks at the clock
#: Shielded work may run this much longer; writing a large result may take more.
_MAX_SHIELDED_S = 1.0


class TimeIsOver(KeyboardInterrupt):
    """Raised between any two instructions, like KeyboardInterrupt by Ctrl-C."""


def ended_when(is_over: Callable[[], bool], work: Callable[[], T], shield: threading.RLock) -> T:
    """Return what `work` returns; raise TimeIsOver in it once, soon after `is_over` is true.

    If the calling thread holds `shield` at that time, TimeIsOver is delayed by up to a second.

    A second thread watches the clock. A signal would not do: signals belong to the calling
    program, and only its main thread handles them. A call of C, and a wait outside
    `nubbin_core.waiting`, must return before TimeIsOver is raised. Python drops the error if it is
    raised in code that the garbage collector calls; then the budget rejects the next query.
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
        armed.clear()  # a call of C: no error can arrive before it returns
        with deciding:
            pass  # the watching thread has raised its error, or never will
        done.set()  # a call of Python, where that error arrives; Python 3.11 cannot withdraw it


def _raise_in(thread: int) -> None:
    with suppress(ImportError):  # without ctypes, the budget rejects the next query instead
        import ctypes  # noqa: PLC0415 - only here

        error = ctypes.py_object(TimeIsOver)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
