"""A test of commits and patches: a command must fail in a checkout of them."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.run_test import RunTest, ShellRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner


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
