"""A test that is an executable, and its runner: one process per query."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from nubbin.oracles.commands.command_line import quoted_path
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Candidate, Runner
from nubbin.oracles.output import PipeReader
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.executable import diagnose, interpreter_line, locate
from nubbin.oracles.user_test import UserTest
from nubbin_core.argument_types import StrPath
from nubbin_core.verdict import CANNOT_SAY, DIFFERENT, Answer, Verdict


class CommandTest(UserTest):
    """An executable that is run once per query."""

    __slots__ = ()
    kind = "command"
    has_server = False
    has_own_file = True
    _contract = (
        "The test must exit with status 0 as long as the input misbehaves, and with another "
        "status when it no longer does. It is run in a new folder that contains only "
        "{contents}{argument}. A test that needs other files must name them by absolute paths."
    )

    @classmethod
    def of(cls, test: StrPath) -> CommandTest:
        """Return the test that an executable is; raises NubbinError if it cannot be run."""
        return cls((str(locate(Path(test))),), str(Path.cwd()))

    @property
    def _as_option(self) -> str:
        return quoted_path(self.path, self.folder)

    @property
    def interpreter_words(self) -> list[str]:
        """The interpreter of a script, and its arguments; [] for any other executable."""
        return interpreter_line(os.fsencode(self.scripts.get(self.words[0], "")))

    def runner(self, folders: QueryFolders) -> Runner:
        return CommandRunner(self.words, folders)


@dataclass(frozen=True, slots=True)
class CommandRunner(Runner):
    """Runs an executable, the first of `words`, once per query.

    The candidate's absolute path is its last argument, and a single file is also its stdin; see
    `QueryFolders.start` for its environment. Exit code 0 is interesting, 125 and a time-out are
    unresolved, and any other is uninteresting; 101 is also a different failure.
    """

    words: tuple[str, ...]
    folders: QueryFolders

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once; raises NubbinError if it cannot be started."""
        with (
            candidate.stdin() as stdin,
            PipeReader() if explain else nullcontext() as reader,
            Path(os.devnull).open("wb", buffering=0) as null,
        ):
            output = reader.writer if reader else null.fileno()
            streams = stdin.fileno(), output, output
            started = time.perf_counter()
            try:
                process = self.folders.start([*self.words, candidate.path], candidate, streams)
            except OSError as error:
                raise diagnose(Path(self.words[0]), error, candidate.folder) or error from None
            with process, cancellation.current().on_cancel(process.kill):
                in_time = process.wait(limit)
                seconds = time.perf_counter() - started
        code = process.exit_code
        verdict = Verdict.INTERESTING if code == 0 else Verdict.UNINTERESTING
        return Answer(
            Verdict.UNRESOLVED if not in_time or code == CANNOT_SAY else verdict,
            seconds,
            code,
            timed_out=not in_time,
            output=bytes(reader.excerpt) if reader else b"",
            different=in_time and code == DIFFERENT,
        )
