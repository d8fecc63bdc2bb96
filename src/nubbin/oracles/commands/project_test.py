"""A test of project folders: a command must fail in the folder, perhaps in a fork of a Python."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.run_test import RunTest, ShellRunner
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.processes.process import Running, Streams
from nubbin.oracles.servers.python_test import PYTHON, interpreter_of
from nubbin.pattern import pattern
from nubbin_core.verdict import Answer, Verdict

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
    return None if found is None else Path(os.path.abspath(found))


@dataclass(frozen=True, slots=True)
class WarmRunner(Runner):
    """Runs a command line in a fork, and again in a process of its own before it accepts.

    Only `cold` accepts. So a fork that behaves differently can cost a run or reject a candidate by
    mistake, but it never accepts one.
    """

    cold: ShellRunner
    warm: ShellRunner

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command once or twice."""
        answer = self.warm.run(candidate, limit, explain=explain)
        if answer.verdict is Verdict.INTERESTING:
            answer = self.cold.run(candidate, limit, explain=explain)
        return answer


def _in_bytes(variables: Mapping[str, str]) -> dict[bytes, bytes]:
    return {os.fsencode(name): os.fsencode(each) for name, each in variables.items()}


#: An assignment to PYTHONPATH in a command, up to the end of the value.
_SETS_PATH: Final = pattern(r"""\bPYTHONPATH=(?:[^\s;&|"'\\]|"[^"]*")+""")


@dataclass(frozen=True, slots=True)
class ProjectTest(RunTest):
    """A project is interesting if a command that runs in its folder fails.

    Python imports first from the project's folders `imports`, which are relative paths: a package
    that is installed in editable mode is imported from the candidate. Packages that are found
    nowhere else are imported from the folder `released`.

    If there are `modules`, the command only starts Python. It then runs in forks of a Python that
    has imported the modules.
    """

    imports: tuple[str, ...] = ()
    released: str = ""
    modules: tuple[str, ...] = ()
    kind = "project"
    is_of_project = True
    programs = ()  # the files that the command names are in the project
    _contract = "The command runs in the folder that holds {contents}, and must fail there."

    @property
    def command(self) -> str:
        """The command line for the shell, in the folder of the project."""
        if not self.imports:
            return self.words[0]
        folders = ":".join(f'"$PWD"/{shlex.quote(each)}' for each in self.imports)
        return f'export PYTHONPATH={folders}"${{PYTHONPATH:+:$PYTHONPATH}}"; {self.words[0]}'

    @property
    def _with_release(self) -> str:
        """The command, with the released packages last wherever it sets PYTHONPATH."""
        if not self.released:
            return self.command
        place = shlex.quote(self.released)
        line = self.command
        if place == self.released:  # it needs no quotes, so it fits into those of the line
            line = _SETS_PATH.sub(lambda sets: f"{sets[0]}:{place}", line)
        return f'export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}"{place}; {line}'

    @property
    def line(self) -> str:
        """The command line that runs the command in the folder of a candidate."""
        # A `{}` in the command itself is not the place of the candidate.
        own = self._with_release.replace(PLACE, "{''}")
        return f"cd {PLACE} && {{ {own}\n}}"

    @property
    def _as_option(self) -> str:
        return f"--run {quoted_word(self.line)}"

    def line_for(self, result: Path, name: str) -> str:
        return f"cd {quoted_word(str(result))} && {self._with_release}"

    @property
    def python_line(self) -> PythonLine | None:
        """The Python that the command starts; None if it does more, or cannot run in a fork."""
        if self.conditions.valid or self.conditions.differs is not None:
            return None  # these run other commands
        line = PythonLine.of(self.words[0], Path(self.folder))
        return line if sys.platform == "linux" else None

    def runner(self, folders: QueryFolders) -> Runner:
        cold = ShellRunner(self.line, self.conditions, folders)
        line = self.python_line if self.modules and folders.sandbox is None else None
        return cold if line is None else WarmRunner(cold, self.warm_runner(folders, line))

    def warm_runner(self, folders: QueryFolders, line: PythonLine) -> ShellRunner:
        """Return a runner that runs the command only in forks of the Python of its `line`.

        The `modules` are imported before the fork. Python searches for others in its `imports`,
        then in PYTHONPATH, and then in `released`.
        """
        unset = _in_bytes({**line.variables, _PATH: ""})
        python = (line.program, *line.options)
        forks = folders.supervisors.in_forks_of(python, self.modules, unset)
        environment = {**os.environb, **_in_bytes(line.variables)}
        given = os.fsdecode(environment.get(os.fsencode(_PATH), b""))

        def start(_: Sequence[str], candidate: Candidate, streams: Streams) -> Running:
            """Start the words of the line, which replace the shell's command."""
            inside = [os.path.join(candidate.path, each) for each in self.imports]
            path = os.pathsep.join(filter(None, (*inside, given, self.released)))
            own = {"PWD": candidate.path, "TMPDIR": candidate.folder, _PATH: path}
            return forks.start(
                candidate.folder,
                ("", *line.words),
                folder=candidate.path,
                environment=environment | _in_bytes(own),
                streams=streams,
            )

        return ShellRunner(self.line, self.conditions, folders, start=start)
