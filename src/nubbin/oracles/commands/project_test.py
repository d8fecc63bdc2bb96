"""Tests of projects and of commits: a command must fail in the folder, or in a checkout."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
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
#: Options of Python that a fork can honour: in one word, and with a value in the next.
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
        assigned = [*takewhile(_ASSIGNMENT.match, words)]
        variables = dict(each.split("=", 1) for each in assigned)
        words = words[len(assigned) :]
        if not words or "PATH" in variables or not (started := _python(words[0], folder)):
            return None
        program, *words = *started, *words[1:]
        end = _end_of_options(words)
        first, *rest = words[end:] or ["-"]
        if first.startswith("-") and not (first in {"-c", "-m"} and rest):
            return None
        return cls(program, tuple(words[:end]), (first, *rest), variables)


def _python(word: str, folder: Path) -> list[str]:
    """Return the path of the Python that a program is, or that runs it and its path; [] if none.

    Links are unresolved.
    """
    found = shutil.which(str(folder / word) if "/" in word else word)
    path = Path(os.path.abspath(found or folder))
    if found and PYTHON.fullmatch(path.name):
        return [str(path)]
    interpreter = interpreter_of(path) if found else None  # of a script, as pytest is
    return [str(interpreter), str(path)] if interpreter else []


def _end_of_options(words: Sequence[str]) -> int:
    """Return how many words at the beginning are options of Python that a fork can honour."""
    end = 0
    while end < len(words) and (words[end] in _WITH_VALUE or _OPTIONS.fullmatch(words[end])):
        end += 2 if words[end] in _WITH_VALUE else 1
    return end


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
        return f"--run {quoted_word(self.words[0])}"

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


@dataclass(frozen=True, slots=True)
class BlameTest(RunTest):
    """Commits, or a patch, are interesting if a command fails in a checkout of them.

    `words` are the command, the folder of the repository's objects, and the commit `base`, in which
    the command exits with the status `good`. Any other exit that does not meet the conditions, such
    as a failed build, is unresolved.
    """

    good: int = 0
    kind = "blame"
    as_options = None  # commits and patches are in no file
    _contract = "The command must fail in a checkout of {contents}, and meet the conditions."

    @property
    def base(self) -> str:
        """The commit in which the command does not fail."""
        return self.words[2]

    @property
    def line(self) -> str:
        """The command line that runs the command in a checkout of a candidate."""
        command, objects, base = self.words
        words = [sys.executable, "-m", "nubbin.oracles.commands.checkout", objects, base, command]
        # A `{}` in these words is not the place of the candidate.
        line = shlex.join(words).replace(PLACE, "{''}")
        return f"{line} {PLACE}"

    def line_for(self, result: Path, name: str) -> str:
        """Return a command that continues in one commit, or shows the failure of a patch."""
        first = result.read_bytes().split()[:1]
        if first != [b"commit"]:
            commit = b"".join(first).decode()[:12]
            options = self.conditions.as_options()
            return f"nubbin blame {commit}~..{commit} {options} -- {quoted_word(str(self))}"
        base = self.base[:12]
        apply = shlex.join(["git", "apply", "--unidiff-zero", str(result)])
        add = f"git worktree add --detach ../{base} {base} && cd ../{base}"
        return f"{add} && {apply} && {{ {self}; }}"

    def runner(self, folders: QueryFolders) -> Runner:
        return ShellRunner(self.line, self.conditions, folders, good=self.good)
