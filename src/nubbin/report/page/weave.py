"""Store all versions of a file as one text, with the steps in which each byte is present.

SCCS stored versions in this way (Rochkind, 1975). Any version, and its difference from the one
before, can be read in one pass over the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from nubbin.text.differences import differences

_Ints = npt.NDArray[np.int64]

#: The step in which a byte or a file is removed that is never removed.
NEVER = -1


class Weave:
    """The versions of one file, from the `first` step on.

    Each byte that was ever in the file has a number. Bytes are numbered in the order in which they
    were added.
    """

    def __init__(self, data: bytes, first: int):
        self.data = data
        self.first = first
        self.last = NEVER
        self._texts = [data]
        self._born = [(first, len(data))]  # steps, and how many bytes each added
        self._died = np.full(len(data), NEVER, dtype=np.int64)
        self._here = np.arange(len(data))  # the numbers of the bytes of `data`
        #: The bytes inserted after each byte (-1: at the start): the first number, and how many.
        self._put: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)

    @property
    def is_there(self) -> bool:
        """Whether the last version of the file exists."""
        return self.last == NEVER

    @property
    def size(self) -> int:
        """The number of bytes that were ever in the file."""
        return len(self._died)

    def change(self, step: int, data: bytes) -> None:
        """Add a version; takes as long as `differences`."""
        parts, at = [], 0
        for start, stop, text in differences(self.data, data):
            self._died[self._here[start:stop]] = step
            parts += [self._here[at:start], self._new(step, stop, text)]
            at = stop
        self._here = np.concatenate([*parts, self._here[at:]])
        self.data, self.last = data, NEVER

    def end(self, step: int) -> None:
        """Remove the file from this step on."""
        self._died[self._here] = step
        self._here = self._here[:0]
        self.data = b""
        self.last = step

    def _new(self, step: int, at: int, text: bytes) -> _Ints:
        """Number the bytes of a text that is inserted into the last version."""
        first = self.size
        if text:
            self._put[int(self._here[at - 1]) if at else -1].append((first, len(text)))
            self._texts.append(text)
            self._born.append((step, len(text)))
            self._died = np.append(self._died, np.full(len(text), NEVER))
        return np.arange(first, first + len(text))

    def text(self) -> bytes:
        """Return all bytes that were ever in the file, in the order of the text."""
        everything = np.frombuffer(b"".join(self._texts), dtype=np.uint8)
        return everything[self._order()].tobytes()

    def segments(self) -> _Ints:
        """Return the parts of the text: shape (3, N).

        The rows are the number of bytes, the step that added them, and the step that removed them,
        or NEVER.
        """
        order = self._order()
        steps, counts = zip(*self._born, strict=True)
        born, died = np.repeat(steps, counts)[order], self._died[order]
        changes = (np.diff(born) != 0) | (np.diff(died) != 0)
        starts = np.concatenate(([0], np.flatnonzero(changes) + 1)) if order.size else order
        lengths = np.diff(np.append(starts, order.size))
        return np.stack((lengths, born[starts], died[starts]))

    def _order(self) -> _Ints:
        """Return the numbers of all bytes in the order of the text."""
        return np.concatenate([np.arange(*run) for run in self._runs()])

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Yield runs of numbers in the order of the text.

        The latest insertion after a byte comes first, because it was inserted before the next byte
        of its time.
        """
        places = sorted(self._put)
        first = len(self._texts[0])
        left = [(0, first), *((a, a + n) for a, n in self._put.get(-1, ()))]
        while left:
            start, stop = left.pop()
            found = bisect_left(places, start)
            if found == len(places) or places[found] >= stop:
                yield start, stop
                continue
            at = places[found]
            yield start, at + 1
            left.append((at + 1, stop))
            left += [(a, a + n) for a, n in self._put[at]]
