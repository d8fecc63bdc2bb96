"""Run a command line that only starts Python in forks of a Python that is already running."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Candidate, Runner
from nubbin.oracles.processes.keepers import Python
from nubbin.oracles.processes.launcher import Launch, Launcher
from nubbin.oracles.servers.interpreter import PYTHON, interpreter_of
from nubbin.pattern import pattern
from nubbin_core.answer import Answer
from nubbin_core.verdict import Verdict

#: Quoted text in which the shell expands nothing.
_IN_QUOTES: Final = pattern(r"""'[^']*'|"[^"$`\\]*\"""")
_NOT_PLAIN: Final = pattern(r"""["'$`\\;&|<>(){}*?\[\]~#!\n]""")
_ASSIGNMENT: Final = pattern(r"[A-Za-z_]\w*(?==)")
#: Options of Python that a fork can honour: without a value, and with one.
_OPTIONS: Final = pattern(r"-[bBdEIOPsSuv]+|-[WX].+")
_WITH_VALUE: Final = frozenset({"-W", "-X"})
_PATH: Final = "PYTHONPATH"


@dataclass(frozen=True, slots=True)
class PythonLine:
    """The parts of a command line that starts Python; `words` say what it runs.

    `variables` are those that the line sets.
    """

    program: str
    options: tuple[str, ...]
    words: tuple[str, ...]
    variables: Mapping[str, str]

    @classmethod
    def of(cls, line: str, folder: Path) -> Self | None:
        """Return the parts of a line that runs in a folder; None if it does, or may do, more."""
        if _NOT_PLAIN.search(_IN_QUOTES.sub("", line)):
            return None
        words = shlex.split(line)
        variables = {}
        while words and (name := _ASSIGNMENT.match(words[0])):
            variables[name[0]] = words.pop(0).removeprefix(f"{name[0]}=")
        if not words or "PATH" in variables or not (found := _located(words.pop(0), folder)):
            return None
        if not PYTHON.fullmatch(found.name):  # it may be a script, as pytest is
            words.insert(0, str(found))
            if (interpreter := interpreter_of(found)) is None:
                return None
            found = interpreter
        options = []
        while words and words[0] not in {"-c", "-m"} and words[0].startswith("-"):
            if not _OPTIONS.fullmatch(words[0]) and words[0] not in _WITH_VALUE:
                return None
            count = 2 if words[0] in _WITH_VALUE else 1
            options += words[:count]
            del words[:count]
        if not words or (words[0] in {"-c", "-m"} and len(words) == 1):
            return None
        return cls(str(found), tuple(options), tuple(words), variables)


def _located(word: str, folder: Path) -> Path | None:
    """Return the absolute path of a program, links unresolved; None if it is not there."""
    found = shutil.which(str(folder / word) if "/" in word else word)
    return None if found is None else Path(os.path.abspath(found))  # noqa: PTH100


class WarmRunner(Runner):
    """Runs a command line in a fork, and again in a process of its own before it accepts.

    Only `cold` accepts. So a fork that behaves differently can cost a run or reject a candidate by
    mistake, but it never accepts one.
    """

    def __init__(self, cold: ShellRunner, warm: ShellRunner):
        self.cold, self.warm = cold, warm

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command once or twice."""
        answer = self.warm.run(candidate, limit, explain=explain)
        if answer.verdict is Verdict.INTERESTING:
            answer = self.cold.run(candidate, limit, explain=explain)
        return answer


class WarmLauncher(Launcher):
    """Starts the Python of a line in forks, in the folder of a project.

    `modules` are imported before the fork. Python searches for modules in `before`, folders of the
    project, then in PYTHONPATH, and then in `after`.
    """

    def __init__(
        self,
        line: PythonLine,
        modules: Sequence[str],
        folders: QueryFolders,
        *,
        before: Sequence[str],
        after: Sequence[str],
    ):
        variables = _in_bytes({**line.variables, _PATH: ""})
        python = Python(line.program, line.options, variables, tuple(modules))
        super().__init__(folders.keepers.in_forks_of(python), None)
        self._environment |= _in_bytes(line.variables)
        self._words = ("", *line.words)
        self._before, self._after = before, after

    def launch(self, command: Sequence[str], candidate: Candidate) -> Launch:
        """Return how to start the words of the line, which replace the shell's command."""
        given = os.fsdecode(self._environment.get(os.fsencode(_PATH), b""))
        inside = [os.path.join(candidate.path, each) for each in self._before]  # noqa: PTH118
        path = [*inside, *([given] if given else []), *self._after]
        own = {"PWD": candidate.path, "TMPDIR": candidate.folder, _PATH: os.pathsep.join(path)}
        return self._words, candidate.path, self._environment | _in_bytes(own)


def _in_bytes(variables: Mapping[str, str]) -> dict[bytes, bytes]:
    """Return an environment as bytes."""
    return {os.fsencode(name): os.fsencode(each) for name, each in variables.items()}
