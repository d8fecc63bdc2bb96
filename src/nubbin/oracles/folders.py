"""A temporary folder for each query, and an end to all that runs there."""

from __future__ import annotations

import weakref
from pathlib import Path

from nubbin.oracles.escaped import EscapedProcesses
from nubbin.oracles.forks import not_in_forks
from nubbin.oracles.monitor import ResourceMonitor
from nubbin.oracles.workspace import Workspace


class Folders:
    """Folders in use, whose processes live, and folders given back, whose processes are ended.

    They lie under `parent`, by default in TMPDIR if set, else in memory. May be shared by
    threads. `close` ends and removes everything, and so does the end of the interpreter; what a
    killed one left is ended and removed by the next, first of all. What runs in a folder is
    watched on demand; `memory` is its limit then, in bytes.
    """

    def __init__(self, parent: Path | None = None, memory: int | None = None):
        for abandoned in Workspace.abandoned(parent):
            _clear(EscapedProcesses(abandoned.root), abandoned)
        self._workspace = Workspace(parent)
        self._escaped = EscapedProcesses(self._workspace.root)
        self._monitor = ResourceMonitor(self._escaped, self._workspace.root, memory)
        self.monitored = self._monitor.over
        self.root = self._workspace.root
        self._used: set[str] = set()
        self.close = weakref.finalize(
            self, not_in_forks(_close), self._escaped, self._workspace, self._monitor
        )

    def take(self) -> str:
        """Make an empty folder and return its path, which is never used again."""
        folder = self._workspace.fresh()
        self._used.add(folder)
        return folder

    def give_back(self, folder: str, only: str | None = None, *, ended_well: bool) -> None:
        """Remove a folder, and kill what runs there: at once if it did not end well.

        `only` is the one file that was put there, if it was one.
        """
        self._used.discard(folder)
        if ended_well:
            self._escaped.end_in_passing(lambda owner: owner not in self._used)
        else:
            self._escaped.end(lambda owner: owner == folder)
        self._workspace.clear(folder, only)


def _close(escaped: EscapedProcesses, workspace: Workspace, monitor: ResourceMonitor) -> None:
    monitor.close()
    _clear(escaped, workspace)


def _clear(escaped: EscapedProcesses, workspace: Workspace) -> None:
    escaped.end(lambda _: True)
    workspace.close()
