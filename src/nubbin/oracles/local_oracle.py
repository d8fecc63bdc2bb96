"""Run the user's test on this machine: each query in a folder of its own."""

from __future__ import annotations

import errno
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.regex import TooSlow
from nubbin.oracles.isolation.candidate_files import Candidate, Files, Origin, write_files
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Oracle, Runner, Timeout
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.processes.process import Lost, not_in_forks
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError
from nubbin_core.late import late
from nubbin_core.verdict import Answer, Verdict

_sandbox = late("nubbin.oracles.isolation.sandbox:Sandbox")


@dataclass(frozen=True, slots=True)
class OracleSpec:
    """The test, and how a candidate is run: an oracle that can be made in any process.

    The candidate is the file or folder `target`. The files of `executables` are executable, and
    with an `origin`, links lead to the same files as the user's links.

    `memory` limits all processes of a run together, in bytes; their number and what they write are
    always limited (see `nubbin.oracles.processes.resource_monitor`). With `sandbox`, the test can
    change only its folder, and has no network.
    """

    test: UserTest
    target: str
    memory: int | None = None
    sandbox: bool = False
    executables: frozenset[str] = frozenset()
    origin: Origin | None = None


class LocalOracle(Oracle):
    """Runs a test once per query, in an empty temporary folder.

    The folder holds the candidate. After the run, or after a timeout, every process that it started
    is killed and the folder is removed. The folders are in `folder`, by default where
    `QueryFolders` puts them. `runner` makes another runner than the test's own.

    A test that removes the folders of other queries (`rm -rf ../../*`), or kills their supervisors
    (`kill -9 -1`), disturbs them. So a query whose folder or supervisor is lost is run again while
    no other query runs. If it then kills its own supervisor, it is unresolved.

    A context manager; `close` ends all processes and removes the folders. Raises NubbinError if the
    test cannot be run.
    """

    def __init__(
        self,
        spec: OracleSpec,
        timeout: Timeout | float | None,
        runs: int = 1,
        *,
        folder: Path | None = None,
        runner: Callable[[QueryFolders], Runner] | None = None,
    ):
        super().__init__(timeout, runs)
        self._spec = spec
        # A command line checks its conditions itself.
        self._conditions = None if spec.test.is_line else spec.test.conditions or None
        self._keeps_output = self._conditions is not None
        self._entry = TogetherOrAlone()
        with ExitStack() as stack:
            self._folders = QueryFolders(folder, spec.memory)
            stack.callback(self._folders.close)
            if spec.sandbox:
                test, origin = spec.test, spec.origin
                linked = [f"{origin.folder}/{path}" for path in origin.reachable] if origin else []
                scratch = self._folders.workspace.new_folder()
                words = (*test.programs, *linked)
                self._folders.sandbox = _sandbox(words, test.folder, scratch)
                self._folders.workspace.remove_folder(scratch)
            self._runner = (runner or spec.test.runner)(self._folders)
            stack.callback(self._runner.close)
            self.close = weakref.finalize(self, not_in_forks(stack.pop_all().close))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """See `Oracle`.

        Also raises ValueError if a path of `files` leaves the folder, and OSError if a file cannot
        be written, for instance to a full disk.
        """
        with suppress(FileNotFoundError, Lost), self._entry.together():
            return self._run(files, limit, explain)
        with suppress(Lost), self._entry.alone():
            return self._run(files, limit, explain, is_alone=True)
        return Answer(Verdict.UNRESOLVED, exit_code=-signal.SIGKILL)

    def _run(
        self, files: Files, limit: float | None, explain: bool, *, is_alone: bool = False
    ) -> Answer:
        """Run a query; FileNotFoundError if a test beside it has removed its folder."""
        workspace = self._folders.workspace
        folder = workspace.new_folder()
        target = self._spec.target
        single = target in files
        candidate = Candidate(folder, os.path.normpath(f"{folder}/{target}"), single)
        try:
            answer = self._run_on(candidate, files, limit, explain)
        except (NubbinError, OSError):
            if is_alone or workspace.has(folder):
                raise
        else:
            if is_alone or workspace.has(folder):
                return answer
        finally:
            workspace.remove_folder(folder, candidate.path if single else None)
        raise FileNotFoundError(errno.ENOENT, "a test has removed the folder of a query", folder)

    def _run_on(
        self, candidate: Candidate, files: Files, limit: float | None, explain: bool
    ) -> Answer:
        asked, query = cancellation.current(), CancelToken()
        if not candidate.single:
            os.makedirs(candidate.path, exist_ok=True)  # a folder may be empty
        write_files(files, candidate.folder, self._spec.executables, self._spec.origin)
        with (
            asked.on_cancel(query.cancel),
            self._folders.monitor.monitored(candidate.folder, query.cancel) as monitored,
            query.as_current(),
        ):
            answer = self._runner.run(candidate, limit, explain=explain or self._keeps_output)
        if asked.cancelled:
            raise CancelledError
        if monitored.exceeded is not None:
            answer = answer._replace(
                verdict=Verdict.UNRESOLVED, timed_out=False, exceeded=monitored.exceeded
            )
        elif answer.verdict is Verdict.INTERESTING and self._conditions is not None:
            answer = _held(answer, self._conditions, limit)
        # From the first different failure on, outputs are kept to tell such failures apart.
        self._keeps_output = self._keeps_output or answer.different
        if explain or self._keeps_output:
            return answer
        return answer._replace(output=b"", errors=b"")


def _held(answer: Answer, conditions: Conditions, limit: float | None) -> Answer:
    """Return an interesting answer, or a rejection if its output is of a different failure."""
    try:
        why = conditions.refusal(Ended.of(answer), limit)
    except TooSlow as slow:
        return answer._replace(verdict=Verdict.UNRESOLVED, exceeded=str(slow), why=str(slow))
    if not why:
        return answer
    return answer._replace(verdict=Verdict.UNINTERESTING, different=True, why=why)


class TogetherOrAlone:
    """Lets threads in together, or one alone when all others have left.

    Each thread holds a lock of its own, which vanishes with it. A count could become wrong if an
    interrupt came between two lines.
    """

    def __init__(self) -> None:
        self._door = threading.Lock()  # held by the thread that is alone, or waits to be
        self._inside = weakref.WeakSet[threading.Lock]()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Enter together with other threads, and leave at the end of the block."""
        mine = threading.Lock()
        with mine:
            with self._door:
                self._inside.add(mine)
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Enter when all other threads have left, and leave at the end of the block."""
        with self._door:
            for each in list(self._inside):
                with each:
                    pass
            yield
