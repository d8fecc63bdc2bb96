"""Read commits and their changes from a git repository, without writing to it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nubbin.oracles.commands.checkout import environment
from nubbin.oracles.output import quoted
from nubbin_core.errors import NubbinError
from nubbin_core.waiting import run

#: Without the file monitor, a program that the settings of the repository can name.
_GIT = ("git", "-c", "core.fsmonitor=false")
#: Without refreshing or fetching: a partial clone can name a program that fetches.
_ONLY_READS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"}
#: Advice if an object is missing.
PARTIAL = "If this is a partial clone, fetch the rest: git fetch --refetch --no-filter."
#: Makes a patch in the format of `nubbin.documents.patch`, with any configuration of the user.
_DIFF = (
    *("diff-tree", "-p", "-U0", "--binary", "--full-index", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full name, its parents, and the first line of its message."""

    name: str
    parents: tuple[str, ...]
    subject: str

    @property
    def line(self) -> bytes:
        """The commit as a line of a list."""
        return os.fsencode(f"{self.name} {self.subject}\n")


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a folder, and the folder of its `objects`."""

    folder: Path
    objects: str

    @classmethod
    def here(cls) -> Self:
        """Return the repository of the current folder; raises NubbinError if there is none."""
        folder = Path.cwd()
        words = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
        where = _git(
            folder,
            *words,
            hint="nubbin blame searches the history of the git repository that it is called in. ",
        )
        return cls(folder, os.fsdecode(where).removesuffix("\n"))

    def commit(self, name: str) -> str:
        """Return the full name of a commit; raises NubbinError if there is none."""
        words = ("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        hint = f"There is no commit {name!r} in {self.folder}: git log lists those that there are. "
        found = _git(self.folder, *words, hint=hint)
        return found.decode().strip()

    def between(self, good: str, bad: str) -> list[Commit]:
        """Return the commits that are in the history of `bad` but not of `good`, the newest first.

        Follows only the first parent of a merge.
        """
        shape = "--format=%H%x00%P%x00%s"
        # Verifies no signature, because the configuration names the program for that.
        words = ("log", "--first-parent", "--no-show-signature", "-z", shape)
        said = _git(self.folder, *words, bad, f"^{good}", "--")
        texts = os.fsdecode(said).split("\0")[:-1]
        fields = zip(texts[::3], texts[1::3], texts[2::3], strict=True)
        return [Commit(name, tuple(parents.split()), says) for name, parents, says in fields]

    def patch(self, old: str, new: Commit) -> bytes:
        """Return the patch from an old commit to a new one, after a line with the new one."""
        words = (*_DIFF, old, new.name, "--")
        return b"commit " + new.line + _git(self.folder, *words, hint=f"{PARTIAL} ")


def _git(folder: Path, *words: str, hint: str = "") -> bytes:
    """Return the output of git; raises NubbinError, which begins with the hint, if git fails."""
    try:
        ran = run([*_GIT, *words], cwd=folder, env={**environment(), **_ONLY_READS})
    except FileNotFoundError:
        raise NubbinError("nubbin blame needs git, which is not on the PATH.") from None
    if ran.returncode:
        raise NubbinError(f"{hint}git {words[0]} failed in {folder}." + quoted(ran.stderr))
    return ran.stdout
