"""Check before the first query whether a file can be run, and explain why it cannot."""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

from nubbin.disk import check_lookup
from nubbin_core.errors import NubbinError

_HEAD_BYTES = 512  # more than any kernel reads of the first line


def locate(test: Path) -> Path:
    """Return the absolute path of a test; raises NubbinError if it cannot be run.

    Reads only the first bytes of the file, and runs nothing. Symbolic links are not resolved: a
    program may depend on the name that it is called by.
    """
    path = Path(os.path.abspath(test))  # resolve() would follow the links
    check_lookup(path)
    if not path.exists():
        raise NubbinError(
            f"There is no test at {path}. The test comes first and the input second. Give the path "
            "of an executable that exits with 0 while its input still fails. A command line is "
            "given with --run, or in Python as nubbin.Command."
        )
    if not path.is_file():
        raise NubbinError(
            f"The test {path} is {'a folder' if path.is_dir() else 'not a regular file'}. "
            "The test comes first and the input second; give the path of an executable file."
        )
    if not os.access(path, os.X_OK):
        raise NubbinError(f"The test {path} is not executable. {_way_to_run(path)}")
    _check_first_line(path)
    return path


def _way_to_run(path: Path) -> str:
    """Return advice for a file that is not executable; data is not to be made executable."""
    with suppress(PermissionError), path.open("rb") as file:
        if not file.read(2).startswith((b"#!", b"\x7fE")):
            return f"Give the command that runs it: --run 'CMD {shlex.quote(str(path))}'"
    return f"If it should be, type: chmod +x {shlex.quote(str(path))}"


def _check_first_line(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except PermissionError:  # it may be executable but not readable: the kernel decides
        return
    if b"\0" in head and not head.startswith(b"#!"):
        return
    if not head.startswith(b"#!"):
        raise NubbinError(_NO_INTERPRETER.format(path=path))
    if head.partition(b"\n")[0].endswith(b"\r"):
        raise NubbinError(
            f"The first line of the test {path} ends in a carriage return, which would be part of "
            "the interpreter's name: the file has Windows line ends. Remove them: "
            f"sed -i 's/\\r$//' {shlex.quote(str(path))}"
        )
    interpreter, *_ = interpreter_line(head) or [""]
    if not os.access(interpreter, os.X_OK) or not Path(interpreter).is_file():
        raise NubbinError(
            f"The first line of the test {path} names the interpreter {interpreter!r}, which is "
            "not there or not executable. Correct that line, for instance to #!/bin/sh or "
            "#!/usr/bin/env python3, or install the interpreter."
        )


def interpreter_line(script: bytes) -> list[str]:
    """Return the interpreter and its arguments in the first line of a script; [] if it has none.

    `env NAME` is looked up on the PATH.
    """
    line = script.partition(b"\n")[0]
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    if words[1:] and Path(words[0]).name == "env" and not re.search(r"^-|=", words[1]):
        words = [shutil.which(words[1]) or words[1], *words[2:]]
    return words


def diagnose(path: Path, error: OSError, folder: str) -> NubbinError | None:
    """Return why a test could not be started in a folder; None for causes of another kind."""
    if error.filename == folder:
        return None
    explanation = {
        errno.ENOEXEC: _NO_INTERPRETER,
        errno.ENOENT: _NO_LOADER if path.exists() else _GONE,
        errno.EACCES: _REFUSED,
        errno.ETXTBSY: _BUSY,
    }.get(error.errno or 0)
    return None if explanation is None else NubbinError(explanation.format(path=path))


_NO_INTERPRETER = (
    "The system cannot run the test {path}: it is not a program for this machine, and its first "
    "line names no interpreter. If it is a script, name the interpreter on the first line, for "
    "instance #!/bin/sh or #!/usr/bin/env python3"
)
_GONE = "The test {path} is gone: it was there when the run began."
_NO_LOADER = (
    "The test {path} is there, but the interpreter or loader that it names is not. If it is a "
    "script, correct its first line; if it is a program, it was built for another system."
)
_REFUSED = (
    "The system refuses to execute the test {path}. Either the file or its interpreter is not "
    "executable (chmod +x), or it lies on a file system mounted noexec; then copy it elsewhere."
)
_BUSY = (
    "The test {path} is open for writing, so the system does not run it. Close the program that "
    "writes it, and start again."
)
