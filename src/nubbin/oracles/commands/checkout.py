"""A command in a fresh checkout: of a commit, or of one with some of the changes of another.

Run as a program with the arguments OBJECTS, BASE, COMMAND and CANDIDATE. The candidate is a file: a
patch for BASE; a list of commits, of which the first line names the newest, which is checked out;
or empty, for BASE itself. The checkout is a folder in the current one, with a repository of its own
that borrows the OBJECTS of the user's, so that nothing of the user's is written to. No hook is run
and no filter of the user's configuration. Exits as the command does, or with 125 if the commit
or the patch is not there as a whole.
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
#: What a patch has before what it does to a file.
_PATCH = b"diff --git "


def environment() -> dict[str, str]:
    """Return the environment without what tells git of another repository, as a hook has it."""
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
    # Not `git checkout`, which ends well if it cannot write a file, or has no object for it.
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
