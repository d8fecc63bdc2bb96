"""Make a temporary folder for each query, and end all processes that run there."""

from __future__ import annotations

import weakref
from pathlib import Path

from nubbin.oracles.isolation.workspace import Workspace
from nubbin.oracles.processes.keepers import Keepers
from nubbin.oracles.processes.process import not_in_forks
from nubbin.oracles.processes.resource_monitor import ResourceMonitor


class QueryFolders:
    """Hands out one folder per query, and owns the `keepers` of the processes that run there.

    The folders are in `parent`; by default in TMPDIR if that is set, otherwise in memory if
    possible. Folders that a killed nubbin left there are removed first. `memory` limits the
    processes of a `monitored` query, in bytes.

    `close`, and the end of the interpreter, kill and remove everything. May be shared by threads.
    """

    def __init__(self, parent: Path | None = None, memory: int | None = None):
        for abandoned in Workspace.abandoned(parent):
            abandoned.close()
        self._workspace = Workspace.create(parent)
        self.root = self._workspace.root
        self.keepers = Keepers()
        self._monitor = ResourceMonitor(self.keepers.processes, self.root, memory)
        self.monitored = self._monitor.monitored
        self.acquire = self._workspace.new_folder
        self.has = self._workspace.has
        self.release = self._workspace.remove_folder
        self.close = weakref.finalize(
            self, not_in_forks(_close), self._monitor, self.keepers, self._workspace
        )


def _close(monitor: ResourceMonitor, keepers: Keepers, workspace: Workspace) -> None:
    monitor.close()
    keepers.close()
    workspace.close()
