"""Start the processes of a query, all in the same way."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Candidate
from nubbin.oracles.processes.keepers import Keepers
from nubbin.oracles.processes.process import Running, Streams


@contextmanager
def stdin_of(candidate: Candidate) -> Iterator[int]:
    """Open the standard input of a test: a single file, or the null device for a folder."""
    stdin = os.open(candidate.path if candidate.single else os.devnull, os.O_RDONLY)
    try:
        yield stdin
    finally:
        os.close(stdin)


#: A program to start: its words, the working folder, and the environment.
Launch = tuple[Sequence[str], str, Mapping[bytes, bytes]]


class Launcher:
    """Starts commands in the folder of a candidate.

    The environment is the user's, except PWD and TMPDIR. They are that folder, so the temporary
    files of a killed test are removed with it. In a sandbox a command can write only in the folder
    around it, which also has the copies of the user's files.
    """

    def __init__(self, keepers: Keepers, sandbox: Sandbox | None):
        self._keepers = keepers
        self._sandbox = sandbox
        self._environment = dict(os.environb)

    def start(self, command: Sequence[str], candidate: Candidate, streams: Streams) -> Running:
        """Start a command; raises OSError if it cannot be started."""
        words, folder, environment = self.launch(command, candidate)
        return self._keepers.start(
            candidate.folder, words, folder=folder, environment=environment, streams=streams
        )

    def launch(self, command: Sequence[str], candidate: Candidate) -> Launch:
        """Return how to start a command."""
        if self._sandbox is not None:
            command = self._sandbox.around(command, os.path.dirname(candidate.folder))  # noqa: PTH120
        folder = os.fsencode(candidate.folder)
        environment = {**self._environment, b"PWD": folder, b"TMPDIR": folder}
        return command, candidate.folder, environment
