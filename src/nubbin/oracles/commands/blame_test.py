"""Run a command in a fresh checkout of a commit, or of a commit with a patch applied.

Run as a program with the arguments OBJECTS, BASE, COMMAND and CANDIDATE. The candidate is a file: a
patch for BASE; a list of commits, whose first line names the newest, which is checked out; or
empty, for BASE itself. The checkout is a folder in the current one. Its own repository borrows the
user's OBJECTS, so nothing of the user's is written. No hook and no filter of the user's
configuration runs. Exits as the command does, or with 125 if git cannot make the checkout.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.run_test import RunTest, ShellRunner
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin_core.verdict import CANNOT_SAY

_GIT = ("git", "-c", "core.hooksPath=/dev/null")
#: The name of the checkout.
FOLDER = "checkout"
#: Begins the changes of each file in a patch.
_PATCH = b"diff --git "


def environment() -> dict[str, str]:
    """Return the environment without git's variables, which a hook sets to its own repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def main() -> None:
    """Make the checkout and run the command in it."""
    objects, base, command, candidate = sys.argv[1:]
    data = Path(candidate).read_bytes()
    is_patch = b"\n" + _PATCH in b"\n" + data
    commit = base if is_patch or not data else data.split()[0].decode()
    own = {**environment(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    kind = "sha256" if len(commit) > 40 else "sha1"
    _git(own, "init", "-q", "--template=", f"--object-format={kind}", FOLDER, folder=".")
    Path(FOLDER, ".git/objects/info").mkdir(exist_ok=True)
    quoted = re.sub(r'["\\\n]', lambda each: rf"\{ord(each[0]):03o}", objects)
    Path(FOLDER, ".git/objects/info/alternates").write_bytes(os.fsencode(f'"{quoted}"\n'))
    Path(FOLDER, ".git/HEAD").write_text(f"{commit}\n")
    # `git checkout` would exit with 0 even if it cannot write a file or lacks its object.
    _git(own, "reset", "-q", "--hard")
    if is_patch:
        _git(own, "apply", "--unidiff-zero", "--whitespace=nowarn", str(Path(candidate).absolute()))
    os.chdir(FOLDER)
    os.environ.update(PWD=str(Path.cwd()))
    sys.stdout.flush()
    os.execve("/bin/sh", ["sh", "-c", command], {**environment(), "PWD": str(Path.cwd())})


def _git(own: dict[str, str], *words: str, folder: str = FOLDER) -> None:
    if subprocess.run([*_GIT, *words], cwd=folder, env=own, check=False).returncode:
        sys.exit(CANNOT_SAY)


if __name__ == "__main__":
    main()


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
        words = [sys.executable, "-m", "nubbin.oracles.commands.blame_test", objects, base, command]
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
