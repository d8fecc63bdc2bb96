"""Calls in the calling thread, without an executor and without its imports."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable
from typing import Any, Generic, Protocol, TypeVar

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Call(Protocol[T_co]):
    """The part of a future that a search needs."""

    def done(self) -> bool:
        """Tell whether the call has ended or was cancelled."""
        ...

    def cancel(self) -> bool:
        """Cancel the call; return False if it cannot be stopped."""
        ...

    def result(self) -> T_co:
        """Wait for the call; return its result or raise its error."""
        ...


class _Made(Generic[T]):
    """A call that was made at once. It stores an `Exception`; Ctrl-C passes through."""

    def __init__(self, call: Callable[..., T], *args: Any):
        self._error: Exception | None = None
        try:
            self._result = call(*args)
        except Exception as error:
            self._error = error

    def done(self) -> bool:
        return True

    def cancel(self) -> bool:
        return False

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._result


class InLine:
    """Makes each call when it is submitted."""

    @property
    def width(self) -> int:
        """How many calls are made at once at present."""
        return 1

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Call[T]:
        """Make a call."""
        return _Made(fn, *args)

    def wait(self, calls: Collection[Call[Any]]) -> None:
        """Return when at least one of these calls has ended."""

    def each(self, fn: Callable[[S], T], items: Iterable[S]) -> Generator[T]:
        """Call `fn` on each item, `width` at a time, and yield the results in order.

        When the caller closes the generator, the calls that remain are cancelled.
        """
        begun = deque[Call[T]]()
        try:
            for item in items:
                begun.append(self.submit(fn, item))
                if len(begun) >= self.width:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for call in begun:
                call.cancel()
