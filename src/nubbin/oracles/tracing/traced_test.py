"""Trace a run of a command, to find the files that it uses."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Candidate, Runner
from nubbin.oracles.output import PipeReader
from nubbin.oracles.processes.process import Lost
from nubbin.oracles.tracing.notes import STARTUP, V8, Used, used
from nubbin.oracles.tracing.packages import tools
from nubbin.pattern import pattern
from nubbin_core.answer import Answer
from nubbin_core.waiting import run

#: Records the system calls of a process and its children that name a file.
_STRACE: Final = (
    *("strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096"),
    *("-e", "trace=%file", "-e", "signal=none"),
)


#: The time limit of a tool that prints its version.
_MAX_VERSION_S: Final = 5.0
_SETS_PATH: Final = pattern(r"\bPYTHONPATH=")


@dataclass(frozen=True, slots=True)
class Tracer(Runner):
    """Runs a test with all available tracers, which write notes to the query's folder.

    Each run passes to `found` what it has used.
    """

    test: ProjectTest
    found: Callable[[Used], None]
    folders: QueryFolders

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command once."""
        notes = f"{candidate.folder}/nubbin-trace"
        os.mkdir(notes, 0o700)
        words = [
            "/usr/bin/env",
            f"NUBBIN_TRACE={notes}",
            f"PYTHONPATH={_before(str(STARTUP), 'PYTHONPATH', ':')}",
            f"NODE_V8_COVERAGE={notes}/{V8}",
            f"NODE_OPTIONS={_before(_node_option(), 'NODE_OPTIONS', ' ')}",
        ]
        if has_strace():
            words += [*_STRACE, "-o", f"{notes}/strace"]
        line, conditions = _also_tracing(self.test.line), self.test.conditions
        given = self.test.given_files
        runner = ShellRunner(line, conditions, self.folders, before=words, given=given)
        answer = runner.run(candidate, limit, explain=explain)
        seen = used(Path(notes), candidate.folder)
        versions = tools(seen.executed, self.test.folder, partial(self._said, candidate))
        self.found(replace(seen, programs=seen.programs | versions))
        return answer

    def _said(self, candidate: Candidate, command: Sequence[str]) -> bytes:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            with PipeReader() as output, suppress(OSError, Lost):
                streams = null, output.writer, null
                with self.folders.start(command, candidate, streams) as process:
                    process.wait(_MAX_VERSION_S)
        finally:
            os.close(null)
        return bytes(output.excerpt)


def _also_tracing(line: str) -> str:
    """Return a command line with our folder first wherever it sets PYTHONPATH."""
    is_plain = shlex.quote(str(STARTUP)) == str(STARTUP)  # it fits into any quotes of the line
    return _SETS_PATH.sub(lambda sets: f"{sets[0]}{STARTUP}:", line) if is_plain else line


def _before(value: str, variable: str, separator: str) -> str:
    given = os.environ.get(variable)
    return f"{value}{separator}{given}" if given else value


def _node_option() -> str:
    escaped = str(STARTUP / "trace.cjs").replace("\\", "\\\\").replace('"', '\\"')
    return f'--require="{escaped}"'


def has_strace() -> bool:
    """Tell whether strace is installed and allowed: a container may forbid it."""
    found = shutil.which(_STRACE[0])
    if found is None:
        return False
    command = [*_STRACE, "-o", os.devnull, found, "-V"]
    return run(command).returncode == 0
