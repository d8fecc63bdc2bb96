"""Collect the texts of all accepted candidates of a run, and find the lines that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from nubbin.report.page.weave import NEVER, Weave
from nubbin.text.readable import is_text, readable
from nubbin.text.visible import printable

#: Larger candidates are not shown, because a browser could not open the page.
_MAX_BYTES = 8 << 20
#: Together, all versions may have so many times the bytes of the first. Otherwise the page begins
#: with a later candidate.
_MAX_GROWTH = 2

_MAX_CHARACTERS = 160  # of a line


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
