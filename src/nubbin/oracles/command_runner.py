"""A test that is a command: one process per query."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from nubbin.oracles import cancellation
from nubbin.oracles.executable import diagnose
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import PipeReader
from nubbin.oracles.process import Process
from nubbin.oracles.runner import Candidate
from nubbin.oracles.sandbox import Sandbox
from nubbin.oracles.verdict import CANNOT_SAY, DIFFERENT, Verdict

_EXCERPT = 32 << 10  # bytes kept from either end of what a test prints


class CommandRunner:
    """Runs an executable once per query.

    The candidate's absolute path is its last argument, and a single file is also stdin. The
    environment is the user's, but TMPDIR is the query's folder, so that the temporary files of a
    killed test go with it. Exit code 0 is interesting, 125 and a time-out are unresolved, all
    else is uninteresting, and 101 also different. The test leads a process group and session of its
    own; when it has ended, or its time has, the whole group is killed. In a sandbox it can write
    in the query's folder only.
    """

    def __init__(self, words: Sequence[str], sandbox: Sandbox | None):
        self._words = words
        self._sandbox = sandbox
        self._environment = dict(os.environb)
        self._nothing = os.open(os.devnull, os.O_RDWR)

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once; raises UnusableTest if it cannot be started."""
        token = cancellation.current()
        with ExitStack() as stack:
            stdin = os.open(candidate.path if candidate.single else os.devnull, os.O_RDONLY)
            stack.callback(os.close, stdin)
            reader = stack.enter_context(PipeReader(_EXCERPT)) if explain else None
            started = time.perf_counter()
            process = self._start(candidate, stdin, reader.writer if reader else self._nothing)
            with process, token.on_cancel(process.kill):
                in_time = process.wait(limit)
                seconds = time.perf_counter() - started
        code = process.exit_code
        return Answer(
            _verdict(code) if in_time else Verdict.UNRESOLVED,
            seconds,
            code,
            timed_out=not in_time,
            output=bytes(reader.excerpt) if reader else b"",
            different=in_time and code == DIFFERENT,
        )

    def close(self) -> None:
        """Nothing runs between queries."""
        os.close(self._nothing)

    def _start(self, candidate: Candidate, stdin: int, output: int) -> Process:
        here = os.fsencode(candidate.folder)
        command = [*self._words, candidate.path]
        if self._sandbox is not None:
            command = self._sandbox.around(command, candidate.folder)
        try:
            return Process(
                command,
                folder=candidate.folder,
                environment={**self._environment, b"PWD": here, b"TMPDIR": here},
                stdin=stdin,
                output=output,
            )
        except OSError as error:
            if error.filename != candidate.folder and (
                bad := diagnose(Path(self._words[0]), error)
            ):
                raise bad from error
            raise


def _verdict(exit_code: int) -> Verdict:
    if exit_code == 0:
        return Verdict.INTERESTING
    return Verdict.UNRESOLVED if exit_code == CANNOT_SAY else Verdict.UNINTERESTING
