"""The folder that made way for the last result: the next one is made of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from nubbin.oracles.candidate_files import Files, remove, update
from nubbin.reduction.contents import Stamps, stamps_at


class Spare:
    """A place for a folder that is not needed any more, until the next one is made of it.

    Two results differ in few of their files, and files that stay are not written again.
    """

    def __init__(self, place: Path):
        self._place = place
        self._contents: Files = {}
        self._stamps: Stamps = {}

    def keep(self, folder: Path, contents: Files, stamps: Stamps) -> None:
        """Move a folder here if nobody has changed it since it had these; else remove it."""
        remove(self._place)
        if contents and stamps_at(folder) == stamps:
            folder.rename(self._place)
            self._contents, self._stamps = contents, stamps
        else:
            remove(folder)

    def fill(self, made: Path, contents: Files) -> Collection[str]:
        """Make a folder with these contents, of the spare one if there is one that is as it was.

        Returns the paths of the files that are written.
        """
        before, stamps = self._contents, self._stamps
        self._contents, self._stamps = {}, {}
        if stamps and stamps_at(self._place) == stamps:
            self._place.rename(made)
            return update(str(made), before, contents)
        made.mkdir()
        return update(str(made), {}, contents)
