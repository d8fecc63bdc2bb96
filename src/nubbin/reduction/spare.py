"""The folder that made way for the last result: the next one is made of it."""

from __future__ import annotations

import os
from collections.abc import Collection

from nubbin.disk import Folder
from nubbin.oracles.candidate_files import Files, update
from nubbin.reduction.contents import Stamps, stamps_at


class Spare:
    """A name in a folder of ours for a folder that is not needed until the next one is made of it.

    Two results differ in few of their files, and files that stay are not written again.
    """

    def __init__(self, folder: Folder, name: str):
        self._folder = folder
        self._name = name
        self._contents: Files = {}
        self._stamps: Stamps = {}

    def keep(self, name: str, contents: Files, stamps: Stamps) -> None:
        """Take what has this name if nobody has changed it since it had these; else remove it."""
        self._folder.remove([self._name])
        if contents and stamps_at(name, dir_fd=self._folder.descriptor) == stamps:
            self._folder.rename(name, self._name)
            self._contents, self._stamps = contents, stamps
        else:
            self._folder.remove([name])

    def fill(self, name: str, contents: Files) -> Collection[str]:
        """Make a folder with these contents, of the spare one if there is one that is as it was.

        Returns the paths of the files that are written.
        """
        before, stamps = self._contents, self._stamps
        self._contents, self._stamps = {}, {}
        inside = self._folder.descriptor
        if stamps and stamps_at(self._name, dir_fd=inside) == stamps:
            self._folder.rename(self._name, name)
        else:
            before = {}
            os.mkdir(name, dir_fd=inside)
        return update(name, before, contents, dir_fd=inside)
