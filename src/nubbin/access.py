"""Who may use a file. A file that nubbin makes from the user's files is as private as they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from operator import and_
from pathlib import Path
from typing import NamedTuple, Self

from nubbin_core.argument_types import StrPath

#: The extended attributes of Linux with a file's access list, and with the one for new files.
LIST, INHERITED_LIST = "system.posix_acl_access", "system.posix_acl_default"


class Access(NamedTuple):
    """Who may use a file: a mode, and the group that its middle digit is for."""

    mode: int
    group: int

    @classmethod
    def of(cls, path: StrPath) -> Self:
        """Return who may use the file at a path; if there is none, the user alone.

        A file with an access list counts as its owner's alone: a mode cannot express the list.
        """
        with suppress(OSError):
            about, has_list = Path(path).stat(), False
            if sys.platform == "linux":
                with suppress(OSError):  # the file system has none
                    has_list = LIST in os.listxattr(path)
            return cls(about.st_mode & (0o700 if has_list else 0o777), about.st_gid)
        return cls(0o600, -1)

    @classmethod
    def to_all(cls, paths: Sequence[StrPath], place: Path) -> Self:
        """Return who may use all of some paths, for a file at a `place` that shows their contents.

        Whoever may not enter a folder above a path may not use the path. Folders that are also
        above the place do not matter.
        """
        found = [cls.of(path) for path in paths]
        ways = {above for path in paths for above in _folders_of(path)}
        for mode, group in map(cls.of, ways.difference(_folders_of(place))):
            found.append(cls(0o700 | (mode & 0o011) * 0o7, group))
        first = found[0].group
        return cls(reduce(and_, (each.for_group(first) for each in found)), first)

    def for_group(self, group: int) -> int:
        """Return the mode for a file of another group, which grants nobody more."""
        if group == self.group:
            return self.mode
        both = self.mode >> 3 & self.mode & 0o7
        return self.mode & 0o700 | both << 3 | both

    def give(
        self, file: StrPath | int, *, dir_fd: int | None = None, most: int = 0o777, more: int = 0
    ) -> None:
        """Give these users their rights to a file: at most those in `most`, and those in `more`.

        If the file cannot have the group, the user's own group gets no more rights than all others.
        """
        if os.stat(file, dir_fd=dir_fd).st_gid != self.group:
            with suppress(OSError):
                os.chown(file, -1, self.group, dir_fd=dir_fd)
        group = os.stat(file, dir_fd=dir_fd).st_gid
        os.chmod(file, self.for_group(group) & most | more, dir_fd=dir_fd)


def drop(file: int, attribute: str) -> None:
    """Remove the access list in this attribute, which a file or a folder has inherited."""
    if sys.platform == "linux":
        with suppress(OSError):  # it has none
            os.removexattr(file, attribute)


def _folders_of(path: StrPath) -> Sequence[Path]:
    return Path(os.path.realpath(path)).parents
