"""The user's test as a command: one process per query, in a folder of its own."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Collection
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from nubbin.oracles import cancellation
from nubbin.oracles.executable import diagnose, limited, locate
from nubbin.oracles.files import Files, write
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import Drain
from nubbin.oracles.process import Process
from nubbin.oracles.strays import Strays
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.oracles.workspace import Workspace

#: The exit code by which a test says that it cannot tell, as `git bisect run` has it.
CANNOT_SAY = 125

_EXCERPT = 32 << 10  # bytes kept from either end of what a test prints


class CommandOracle:
    """Runs an executable once per query.

    The test runs in a fresh, temporary folder that holds the candidate under its own name;
    the absolute path of `target`, the file or folder of that name, is the last argument, and
    a single file is also stdin. The environment is the user's, but TMPDIR is that same
    folder, so that the temporary files of a killed test go with it. Exit code 0 is
    interesting, 125 and a time-out are unresolved, all else is uninteresting. The test leads
    a process group and session of its own; when it has ended, or its time has, the whole
    group is killed, and with it what left the group.

    `timeout` is a number of seconds, None for no limit, or a `Timeout`, which learns from
    interesting runs. `memory` limits the address space of each process, in bytes. The
    temporary folders lie under `folder`, by default in memory where that is possible. In them,
    the files of `executables` may be run.

    A context manager; `close` removes the folders. Queries may run in several threads, and
    can be cancelled there (see `nubbin.oracles.cancellation`). Raises BadTest if the test
    cannot be run, here already where that can be seen from its file.
    """

    def __init__(
        self,
        test: Path,
        target: str,
        *,
        timeout: Timeout | float | None,
        memory: int | None = None,
        folder: Path | None = None,
        executables: Collection[str] = (),
    ):
        self._test = locate(test)
        self._command = limited(self._test, memory)
        self._target = target
        self._executables = executables
        self._timeout = timeout
        self._environment = dict(os.environb)
        self._active: set[str] = set()
        self._workspace = Workspace(folder)
        self._strays = Strays(self._workspace.root)
        _clear_abandoned(folder)
        self._nothing = os.open(os.devnull, os.O_RDWR)
        self._close = weakref.finalize(self, _close, self._nothing, self._strays, self._workspace)

    def __enter__(self) -> CommandOracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill what is left of any query and remove the temporary folders; once is enough."""
        self._close()

    def __call__(self, files: Files) -> Answer:
        """Run the test on a candidate; what it prints goes nowhere.

        Raises BadTest if the test cannot be started, CancelledError if the query is cancelled,
        ValueError if `files` do not make up the target, OSError if they cannot be written, as
        on a full disk.
        """
        return self._query(files, self._nothing)

    def explain(self, files: Files) -> Answer:
        """As a call, and keep the beginning and the end of what the test prints, 64 KiB in all."""
        with Drain(_EXCERPT) as drain:
            answer = self._query(files, drain.writer)
        return replace(answer, output=bytes(drain.excerpt))

    def _query(self, files: Files, output: int) -> Answer:
        single = self._target in files
        switch = cancellation.current()
        folder = self._workspace.fresh()
        candidate = os.path.normpath(f"{folder}/{self._target}")
        self._active.add(folder)
        ended_well = False
        try:
            write(files, folder, self._executables)
            if not single:
                os.makedirs(candidate, exist_ok=True)  # noqa: PTH103 - a folder may be empty
            stdin = os.open(candidate if single else os.devnull, os.O_RDONLY)
            try:
                started = time.perf_counter()
                process = self._start(folder, candidate, stdin, output)
                with process, switch.stops(process.kill):
                    in_time = process.wait(self._limit())
                    seconds = time.perf_counter() - started
            finally:
                os.close(stdin)
            if switch.thrown:
                raise CancelledError
            ended_well = in_time
        finally:
            self._active.discard(folder)
            if ended_well:
                self._strays.end_in_passing(lambda stray: stray not in self._active)
            else:
                self._strays.end(lambda stray: stray == folder)
            self._workspace.clear(folder, candidate if single else None)
        verdict = _verdict(process.exit_code) if in_time else Verdict.UNRESOLVED
        if verdict is Verdict.INTERESTING and isinstance(self._timeout, Timeout):
            self._timeout.learn(seconds)
        return Answer(verdict, seconds, process.exit_code, timed_out=not in_time)

    def _start(self, folder: str, candidate: str, stdin: int, output: int) -> Process:
        here = os.fsencode(folder)
        try:
            return Process(
                [*self._command, candidate],
                folder=folder,
                environment={**self._environment, b"PWD": here, b"TMPDIR": here},
                stdin=stdin,
                output=output,
            )
        except OSError as error:
            if error.filename != folder and (bad := diagnose(self._test, error)):
                raise bad from error
            raise

    def _limit(self) -> float | None:
        return self._timeout.limit if isinstance(self._timeout, Timeout) else self._timeout


def _verdict(exit_code: int) -> Verdict:
    if exit_code == 0:
        return Verdict.INTERESTING
    return Verdict.UNRESOLVED if exit_code == CANNOT_SAY else Verdict.UNINTERESTING


def _clear_abandoned(folder: Path | None) -> None:
    """End what is left of runs that were killed: their tests, then their folders."""
    for workspace in Workspace.abandoned(folder):
        Strays(workspace.root).end(lambda _: True)
        workspace.close()


def _close(nothing: int, strays: Strays, workspace: Workspace) -> None:
    strays.end(lambda _: True)
    workspace.close()
    os.close(nothing)
