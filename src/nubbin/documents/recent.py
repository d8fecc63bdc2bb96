"""A cache of what was made of the last documents."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Caches what was made of the last documents: of up to `max_bytes` in all, or of one."""

    def __init__(self, max_bytes: int):
        self._max_bytes = max_bytes
        self._made: OrderedDict[bytes, T] = OrderedDict()
        self._bytes = 0

    def of(self, data: bytes, make: Callable[[bytes], T]) -> T:
        """Return what is made of a document; `make` is called if that is not known."""
        if data not in self._made:
            # Old ones are removed first, so that there is never one more.
            while self._made and self._bytes + len(data) > self._max_bytes:
                self._bytes -= len(self._made.popitem(last=False)[0])
            self._made[data] = make(data)
            self._bytes += len(data)
        self._made.move_to_end(data)
        return self._made[data]
