"""A test of commits and patches: a command fails in a checkout of them."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from nubbin.oracles.commands.command_line import PLACE
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Candidate, Runner
from nubbin_core.answer import Answer
from nubbin_core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class BlameTest(RunTest):
    """Commits, or a patch, are interesting if a command fails in a checkout of them.

    `words` are the command, the folder of the repository's objects, and the commit `base`, in which
    the command does not fail: it exits with the status `good`. If it does neither that nor fail in
    the way of the conditions, as where nothing can be built, the test cannot say.
    """

    good: int = 0
    kind = "blame"
    _contract = "The command must fail in a checkout of {contents}, and meet the conditions."

    @property
    def base(self) -> str:
        """The commit in which the command does not fail."""
        return self.words[2]

    @property
    def as_options(self) -> None:
        """None: commits and patches are in no file."""

    @property
    def line(self) -> str:
        """The command line that runs the command in a checkout of a candidate."""
        command, objects, base = self.words
        words = [sys.executable, "-m", "nubbin.oracles.commands.checkout", objects, base, command]
        # What the command itself has of these is not the place of the candidate.
        line = shlex.join(words).replace(PLACE, "{''}")
        return f"{line} {PLACE}"

    def line_for(self, result: Path, name: str) -> str:
        """Return what goes on with a commit, or shows the failure of a patch, in a worktree."""
        first = result.read_bytes().split()[:1]
        if first != [b"commit"]:
            commit = b"".join(first).decode()[:12]
            options = self.conditions.as_options()
            return f"nubbin blame {commit}~..{commit} {options} -- {quoted_word(str(self))}"
        base = self.base[:12]
        apply = shlex.join(["git", "apply", "--unidiff-zero", str(result)])
        add = f"git worktree add --detach ../{base} {base} && cd ../{base}"
        return f"{add} && {apply} && {{ {self}; }}"

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        shell = ShellRunner(self.line, self.conditions, folders.keepers, sandbox)
        return _ThreeValued(shell, self.good)


@dataclass(frozen=True, slots=True)
class _ThreeValued(Runner):
    """A runner that cannot say when a command neither fails as it should nor ends as if `good`."""

    runs: ShellRunner
    good: int

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command once."""
        answer = self.runs.run(candidate, limit, explain=explain)
        if answer.verdict is Verdict.UNINTERESTING and answer.exit_code != self.good:
            return answer._replace(verdict=Verdict.UNRESOLVED)
        return answer
