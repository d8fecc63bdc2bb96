"""Trace a run of a test, to find the files that it uses."""

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

from nubbin.oracles.commands.command_test import CommandRunner, CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Candidate, Runner
from nubbin.oracles.output import PipeReader
from nubbin.oracles.processes.process import Lost
from nubbin.oracles.tracing.notes import STARTUP, V8, Used, used
from nubbin.oracles.tracing.packages import tools
from nubbin.pattern import pattern
from nubbin_core.verdict import Answer
from nubbin_core.waiting import run

#: Records the system calls of a process and its children that name a file.
_STRACE: Final = (
    *("strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096"),
    *("-e", "trace=%file", "-e", "signal=none"),
)


#: The time limit of a tool that prints its version.
_MAX_VERSION_S: Final = 5.0
_SETS_PATH: Final = pattern(r"\bPYTHONPATH=")


_SHELL: Final = pattern(r"\b(?:ba|da|k|z)?sh\b")
#: The longest text that can be a word of a command.
_MAX_WORD_BYTES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Tracer(Runner):
    """Runs a test with all available tracers, which write notes to the query's folder.

    Each run passes to `found` what it has used.
    """

    test: RunTest | CommandTest
    found: Callable[[Used], None]
    folders: QueryFolders

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once."""
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
        self.folders.before = words
        try:
            answer = self._runner().run(candidate, limit, explain=explain)
        finally:
            self.folders.before = ()
        seen = used(Path(notes), candidate.folder)
        versions = tools(seen.executed, self.test.folder, partial(self._said, candidate))
        self.found(replace(seen, programs=seen.programs | versions))
        return answer

    def _runner(self) -> Runner:
        """Return the runner of the test, with our folder first wherever it sets PYTHONPATH.

        The text of a shell script is then a word of the command, so the script is not changed.
        """
        test = self.test
        if isinstance(test, RunTest):
            line, given = _also_tracing(test.line), test.given_files
            return ShellRunner(line, test.conditions, self.folders, given=given)
        words, script = test.interpreter_words, test.scripts.get(test.words[0], "")
        is_of_shell = words and _SHELL.search(words[0]) and len(script) <= _MAX_WORD_BYTES
        if not is_of_shell or (traced := _also_tracing(script)) == script:
            return test.runner(self.folders)
        return CommandRunner((*words, "-c", traced, *test.words), self.folders)

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
    """Return a text for the shell with our folder first wherever it sets PYTHONPATH."""
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
