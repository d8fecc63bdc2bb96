"""A temporary folder for each query, and an end to all that runs there."""

from __future__ import annotations

import weakref
from pathlib import Path

from nubbin.oracles.escaped_processes import EscapedProcesses
from nubbin.oracles.not_in_forks import not_in_forks
from nubbin.oracles.resource_monitor import ResourceMonitor
from nubbin.oracles.workspace import Workspace


class QueryFolders:
    """Hands out one folder per query; releasing it kills the processes still in it.

    The folders lie under `parent`, by default in TMPDIR if that is set, else in memory if possible.
    First of all, the folders and processes that a killed nubbin left there are removed. `memory`
    limits the processes of a query that is `monitored`, in bytes.

    `close`, and the end of the interpreter, kill and remove everything. May be shared by threads.
    """

    def __init__(self, parent: Path | None = None, memory: int | None = None):
        for abandoned in Workspace.abandoned(parent):
            _clear(EscapedProcesses(abandoned.root), abandoned)
        self._workspace = Workspace.create(parent)
        self.root = self._workspace.root
        self._escaped = EscapedProcesses(self.root)
        self._monitor = ResourceMonitor(self._escaped, self.root, memory)
        self.monitored = self._monitor.monitored
        self._in_use: set[str] = set()
        self.close = weakref.finalize(
            self, not_in_forks(_close), self._escaped, self._workspace, self._monitor
        )

    def acquire(self) -> str:
        """Make an empty folder and return its path, which is never used again."""
        folder = self._workspace.new_folder()
        self._in_use.add(folder)
        return folder

    def release(self, folder: str, only: str | None = None, *, ended_well: bool) -> None:
        """Kill the processes in a folder and remove it.

        If the query ended well, its processes are looked for with those of later queries, for
        that costs milliseconds. `only` is the path of the candidate if that is a single file.
        """
        self._in_use.discard(folder)
        if ended_well:
            self._escaped.end_now_and_then(lambda owner: owner not in self._in_use)
        else:
            self._escaped.end(lambda owner: owner == folder)
        self._workspace.remove_folder(folder, only)


def _close(escaped: EscapedProcesses, workspace: Workspace, monitor: ResourceMonitor) -> None:
    monitor.close()
    _clear(escaped, workspace)


def _clear(escaped: EscapedProcesses, workspace: Workspace) -> None:
    escaped.end(lambda _: True)
    workspace.close()
