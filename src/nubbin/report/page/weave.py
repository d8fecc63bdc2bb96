"""Store the texts of all accepted candidates: one text a file, with the steps of each byte.

SCCS stored versions in this way (Rochkind, 1975). Any version, and its difference from the one
before, can be read in one pass over the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from nubbin.text.differences import differences
from nubbin.text.figures import is_text, printable, readable

_Ints = npt.NDArray[np.int64]

#: Larger candidates are not shown, because a browser could not open the page.
_MAX_BYTES = 8 << 20
#: The most bytes of all versions together, as a multiple of the first. With more, the page begins
#: with a later candidate.
_MAX_GROWTH = 2

_MAX_CHARACTERS = 160  # of a line

#: In place of a step: the byte or file is never removed.
NEVER = -1


class Weave:
    """The versions of one file, from the `first` step on.

    It has each byte that was ever in the file, in the order of the text, with the step that added
    it and the step that removed it.
    """

    def __init__(self, data: bytes, first: int):
        self.data = data
        self.first = first
        self.last = NEVER
        self._text = np.frombuffer(data, dtype=np.uint8)
        self._born = np.full(len(data), first)
        self._died = np.full(len(data), NEVER)

    @property
    def is_there(self) -> bool:
        """Whether the last version of the file exists."""
        return self.last == NEVER

    @property
    def size(self) -> int:
        """The number of bytes that were ever in the file."""
        return len(self._text)

    def change(self, step: int, data: bytes) -> None:
        """Add a version; takes as long as `differences`."""
        here = np.flatnonzero(self._died == NEVER)
        parts = differences(self.data, data)
        for start, stop, _ in parts:
            self._died[here[start:stop]] = step
        added = b"".join(text for _, _, text in parts)
        if added:
            # Text is inserted directly after the byte before it, before what was removed there.
            after = [int(here[stop - 1]) + 1 if stop else 0 for _, stop, _ in parts]
            places = np.repeat(after, [len(text) for _, _, text in parts])
            self._text = np.insert(self._text, places, np.frombuffer(added, dtype=np.uint8))
            self._born = np.insert(self._born, places, step)
            self._died = np.insert(self._died, places, NEVER)
        self.data, self.last = data, NEVER

    def end(self, step: int) -> None:
        """Remove the file from this step on."""
        self._died[self._died == NEVER] = step
        self.data, self.last = b"", step

    def text(self) -> bytes:
        """Return all bytes that were ever in the file, in the order of the text."""
        return self._text.tobytes()

    def segments(self) -> _Ints:
        """Return (3, N): the bytes of each part, and the steps that added and removed it."""
        changes = (np.diff(self._born) != 0) | (np.diff(self._died) != 0)
        starts = np.flatnonzero(np.append([True] * (self.size > 0), changes))
        lengths = np.diff(np.append(starts, self.size))
        return np.stack((lengths, self._born[starts], self._died[starts]))


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
