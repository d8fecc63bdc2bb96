"""What was made of the documents that were asked about last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Remembers what was made of the last documents: of up to `max_bytes` in all, or of one."""

    def __init__(self, max_bytes: int):
        self._max_bytes = max_bytes
        self._made: OrderedDict[bytes, T] = OrderedDict()
        self._bytes = 0

    def of(self, data: bytes, make: Callable[[bytes], T]) -> T:
        """Return what is made of a document; `make` is called if that is not known."""
        if data not in self._made:
            self._made[data] = make(data)
            self._bytes += len(data)
            while len(self._made) > 1 and self._bytes > self._max_bytes:
                self._bytes -= len(self._made.popitem(last=False)[0])
        self._made.move_to_end(data)
        return self._made[data]
