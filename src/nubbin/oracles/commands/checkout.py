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
import subprocess
import sys
from pathlib import Path

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
