"""A test of project folders: a command must fail in the folder."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nubbin.oracles.commands.command_line import PLACE
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.commands.warm_python import PythonLine, WarmLauncher, WarmRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.pattern import pattern

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
    def as_options(self) -> str:
        """See `UserTest`."""
        return f"--run {quoted_word(self.line)} {self.conditions.as_options()}".rstrip()

    @property
    def programs(self) -> tuple[str, ...]:
        """Empty: the files that the command names are in the project."""
        return ()

    def line_for(self, result: Path, name: str) -> str:
        """See `UserTest`."""
        return f"cd {quoted_word(str(result))} && {self._with_release}"

    @property
    def python_line(self) -> PythonLine | None:
        """The Python that the command starts; None if it does more, or cannot run in a fork."""
        if self.conditions.valid or self.conditions.differs is not None:
            return None  # these run other commands
        line = PythonLine.of(self.words[0], Path(self.folder))
        return line if sys.platform == "linux" else None

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        cold = ShellRunner(self.line, self.conditions, folders.keepers, sandbox)
        warm = self.warm_runner(folders) if self.modules and sandbox is None else None
        return cold if warm is None else WarmRunner(cold, warm)

    def warm_runner(self, folders: QueryFolders) -> ShellRunner | None:
        """Return a runner that runs the command only in forks; None if it cannot run in one."""
        if (line := self.python_line) is None:
            return None
        after = (self.released,) if self.released else ()
        launcher = WarmLauncher(line, self.modules, folders, before=self.imports, after=after)
        return ShellRunner(self.line, self.conditions, folders.keepers, None, launcher=launcher)
