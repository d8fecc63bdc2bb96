"""The files of a run, from one accepted candidate to the next."""

from __future__ import annotations

from collections.abc import Mapping

from nubbin.report.page.weave import Weave

#: Larger candidates are not shown: a browser has to open the page at once.
_MAX_BYTES = 8 << 20
#: All versions together may have this many times the text of the first; else the page begins later.
_MAX_GROWTH = 2


class Texts:
    """The texts of candidates, as long as they are not too large to be shown.

    `first` is the number of the first candidate whose text is there, 0 if there is none yet.
    `weaves` has the versions of each file by its path.
    """

    def __init__(self) -> None:
        self.first = 0
        self.weaves: dict[str, Weave] = {}
        self._limit = 0

    def add(self, number: int, files: Mapping[str, bytes]) -> None:
        """Add a candidate; linear, see `differences`."""
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
