"""The user's test, run on this machine: each query in a folder of its own."""

from __future__ import annotations

import os
import weakref
from collections.abc import Collection
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from typing import Self

from nubbin.oracles import cancellation
from nubbin.oracles.cancellation import CancelToken
from nubbin.oracles.candidate_files import Files, write
from nubbin.oracles.folders import Folders
from nubbin.oracles.forks import not_in_forks
from nubbin.oracles.oracle import Answer
from nubbin.oracles.regex import compiled
from nubbin.oracles.runner import Candidate, Runner
from nubbin.oracles.sandbox import Sandbox
from nubbin.oracles.timed import TimedOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict


class LocalOracle(TimedOracle):
    """Runs a test once per query, in a fresh, temporary folder.

    The folder holds the candidate: the file or folder `target`. When a run has ended, or its
    time has, everything that it started is killed, and the folder removed.

    `memory` limits what all processes of a run hold at a time, in bytes; how many they are and
    what they write is limited as well (see `nubbin.oracles.monitor`). With `sandbox` the test can
    change nothing but its folder, and reach no network. Where it is interesting, but prints
    nothing that the regular expression `signature` matches, it is different. The temporary
    folders lie under `folder`, by default in TMPDIR if that is set, else in memory if possible.
    In them, the files of `executables` may be run.

    A context manager; `close` removes the folders. Queries may run in several threads, and
    can be cancelled there (see `nubbin.oracles.cancellation`). Raises UnusableTest if the test
    cannot be run.
    """

    def __init__(
        self,
        test: UserTest | Path,
        target: str,
        *,
        timeout: Timeout | float | None,
        memory: int | None = None,
        sandbox: bool = False,
        signature: str | None = None,
        folder: Path | None = None,
        executables: Collection[str] = (),
    ):
        test = UserTest.of(test)
        super().__init__(timeout)
        self._target = target
        self._signature = None if signature is None else compiled("--signature", signature)
        self._listens = signature is not None
        self._executables = executables
        self._folders = Folders(folder, memory)
        walls = _walls(test, self._folders) if sandbox else None
        self._runner = test.runner(self._folders, walls)
        self._close = weakref.finalize(self, not_in_forks(_close), self._runner, self._folders)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill what is left of any query and remove the temporary folders; once is enough."""
        self._close()

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """Run the test on a candidate, for at most `limit` seconds.

        Raises UnusableTest if the test cannot be started, CancelledError if the query is cancelled,
        ValueError if `files` do not make up the target, OSError if they cannot be written, as
        on a full disk.
        """
        single = self._target in files
        asked, query = cancellation.current(), CancelToken()
        folder = self._folders.take()
        path = os.path.normpath(f"{folder}/{self._target}")
        ended_well = False
        try:
            write(files, folder, self._executables)
            if not single:
                os.makedirs(path, exist_ok=True)  # noqa: PTH103 - a folder may be empty
            candidate = Candidate(folder, path, single)
            explain = explain or self._listens
            with (
                asked.on_cancel(query.cancel),
                self._folders.monitored(folder, query.cancel) as monitored,
                query.open(),
            ):
                answer = self._runner.run(candidate, limit, explain=explain)
            if asked.cancelled:
                raise CancelledError
            if monitored.exceeded is not None:
                answer = replace(
                    answer, verdict=Verdict.UNRESOLVED, timed_out=False, exceeded=monitored.exceeded
                )
            elif answer.verdict is Verdict.INTERESTING and not self._signed(answer.output):
                answer = replace(answer, verdict=Verdict.UNINTERESTING, different=True)
            # From the first on, what tells different ways to misbehave apart is kept.
            self._listens = self._listens or answer.different
            ended_well = not answer.timed_out and answer.exceeded is None
        finally:
            self._folders.give_back(folder, path if single else None, ended_well=ended_well)
        return answer

    def _signed(self, output: bytes) -> bool:
        return self._signature is None or self._signature.search(output) is not None


def _walls(test: UserTest, folders: Folders) -> Sandbox:
    try:
        folder = folders.take()
        walls = Sandbox(test.words, test.folder, folder)
        folders.give_back(folder, ended_well=True)
    except BaseException:
        folders.close()
        raise
    return walls


def _close(runner: Runner, folders: Folders) -> None:
    runner.close()
    folders.close()
