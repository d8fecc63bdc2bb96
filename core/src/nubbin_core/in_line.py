"""Calls in the thread that asks for them: no executor, and nothing to import."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable
from typing import Any, Generic, Protocol, TypeVar

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Call(Protocol[T_co]):
    """What a search needs of a future."""

    def done(self) -> bool:
        """Return whether the call is over, or cancelled."""
        ...

    def cancel(self) -> bool:
        """Give up the call; False if it cannot be stopped."""
        ...

    def result(self) -> T_co:
        """Wait, and return what the call returns or raise what it raises."""
        ...


class _Made(Generic[T]):
    """A call that was made at once. It takes what that raises, but only an `Exception`."""

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
        """How many calls are made at once by now."""
        return 1

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Call[T]:
        """Make a call, or queue one of several."""
        return _Made(fn, *args)

    def wait(self, calls: Collection[Call[Any]]) -> None:
        """Return when at least one of some calls is over."""

    def each(self, fn: Callable[[S], T], items: Iterable[S]) -> Generator[T]:
        """Make a call for each item, `width` at a time, and yield what they return in their order.

        When it is closed, which is up to the caller, what has not come is cancelled.
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
