"""Store the texts of all accepted candidates: one text a file, with the steps of each byte.

SCCS stored versions in this way (Rochkind, 1975). Any version, and its difference from the one
before, can be read in one pass over the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from nubbin.text.differences import differences
from nubbin.text.readable import is_text, readable
from nubbin.text.visible import printable

_Ints = npt.NDArray[np.int64]

#: Larger candidates are not shown, because a browser could not open the page.
_MAX_BYTES = 8 << 20
#: Together, all versions may have so many times the bytes of the first. Otherwise the page begins
#: with a later candidate.
_MAX_GROWTH = 2

_MAX_CHARACTERS = 160  # of a line

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


class Texts:
    """The texts of candidates that are not too large to be shown.

    `first` is the number of the first candidate with a text; 0 if there is none yet. `weaves` has
    the versions of each file by its path.
    """

    def __init__(self) -> None:
        self.first = 0
        self.weaves: dict[str, Weave] = {}
        self._limit = 0

    def add(self, number: int, files: Mapping[str, bytes]) -> None:
        """Add a candidate; takes as long as `differences`."""
        size = sum(map(len, files.values()))
        if size > _MAX_BYTES:
            self._begin(0, {})
        elif not self.first:
            self._begin(number, files)
        else:
            self._change(number, files)
            if sum(weave.size for weave in self.weaves.values()) > self._limit:
                self._begin(number, files)

    def _begin(self, first: int, files: Mapping[str, bytes]) -> None:
        self.first = first
        self.weaves = {path: Weave(data, first) for path, data in files.items()}
        self._limit = _MAX_GROWTH * sum(map(len, files.values())) + (_MAX_BYTES >> 3)

    def _change(self, number: int, files: Mapping[str, bytes]) -> None:
        for path, weave in self.weaves.items():
            if weave.is_there and path not in files:
                weave.end(number)
        for path, data in files.items():
            if path not in self.weaves:
                self.weaves[path] = Weave(data, number)
            elif self.weaves[path].data != data or not self.weaves[path].is_there:
                self.weaves[path].change(number, data)


def kept_lines(texts: Texts) -> Iterator[str]:
    """Yield the number and the text of each line that is kept, under the names of the files."""
    for path, weave in texts.weaves.items():
        if weave.first == texts.first and weave.is_there:
            lines = list(_lines_of(weave))
            if lines and len(texts.weaves) > 1:
                yield f"{printable(path)}:"
            yield from lines


def _lines_of(weave: Weave) -> Iterator[str]:
    """Yield the lines of one file that are kept; none of a binary file."""
    lengths, born, died = weave.segments()
    data = np.frombuffer(weave.text(), dtype=np.uint8)
    is_first = np.repeat(born == weave.first, lengths)
    is_kept = np.repeat(died == NEVER, lengths)[is_first]
    original = data[is_first].tobytes()
    if not is_text(original):
        return
    at = 0
    for number, line in enumerate(original.splitlines(keepends=True), 1):
        words = is_kept[at : at + len(line.rstrip())]
        at += len(line)
        if words.any():
            yield f"{number:6}  {readable(line.rstrip(), _MAX_CHARACTERS)}"
