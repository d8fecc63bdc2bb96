"""Can this file be run? Found out before the first query, and told in plain words."""

from __future__ import annotations

import errno
import os
import shlex
from pathlib import Path

from nubbin.oracles.errors import NubbinError

_HEAD = 512  # bytes; longer than the first line any kernel reads


def locate(test: Path) -> Path:
    """Return the absolute path of a test that looks fit to run, or raise UnusableTest.

    Reads the first bytes of the file and runs nothing. Symbolic links stay as they are, for
    a program may go by the name it is called by.
    """
    path = Path(os.path.abspath(test))  # noqa: PTH100 - resolve() would follow the links
    if not path.exists():
        raise NubbinError(
            f"There is no test at {path}. The test comes first and the input second; give the "
            "path of an executable that exits with 0 when its input is interesting.",
        )
    if not path.is_file():
        raise NubbinError(
            f"The test {path} is {'a folder' if path.is_dir() else 'not a regular file'}. "
            "The test comes first and the input second; give the path of an executable file.",
        )
    if not os.access(path, os.X_OK):
        raise NubbinError(
            f"The test {path} is not executable. If it is meant to be, allow it: "
            f"chmod +x {shlex.quote(str(path))}",
        )
    _check_first_line(path)
    return path


def _check_first_line(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except PermissionError:  # a program that may be run but not read: the kernel will judge
        return
    if not head.startswith(b"#!"):
        if b"\0" not in head:  # no binary, then, but a script that does not say for what
            raise NubbinError(_NO_INTERPRETER.format(path=path))
        return
    line = head[2:].split(b"\n", 1)[0]
    interpreter = os.fsdecode(line.strip(b" \t").split(b" ")[0].split(b"\t")[0])
    if not os.access(interpreter, os.X_OK) or not Path(interpreter).is_file():
        windows = interpreter.endswith("\r")
        raise NubbinError(
            f"The first line of the test {path} names the interpreter {interpreter!r}, "
            + (
                "which ends in a carriage return: the file has Windows line ends. "
                f"Remove them: sed -i 's/\\r$//' {shlex.quote(str(path))}"
                if windows
                else "which is not there or not executable. Correct that line, for instance "
                "to #!/bin/sh or #!/usr/bin/env python3, or install the interpreter."
            ),
        )


_NO_INTERPRETER = (
    "The system does not know how to run the test {path}: it is no program for this machine, "
    "and its first line does not say which interpreter it is written for. If it is a script, "
    "put that on the very first line, for instance #!/bin/sh or #!/usr/bin/env python3"
)


def diagnose(path: Path, error: OSError) -> NubbinError | None:
    """Return in plain words why starting the test failed; None where it is not to blame."""
    if error.errno == errno.ENOEXEC:
        return NubbinError(_NO_INTERPRETER.format(path=path))
    if error.errno == errno.ENOENT:
        if not path.exists():
            return NubbinError(f"The test {path} is gone: it was there when the run began.")
        return NubbinError(
            f"The test {path} is there, but the interpreter or loader that it names is not. "
            "If it is a script, correct its first line; if it is a program, it was built for "
            "another system.",
        )
    if error.errno == errno.EACCES:
        return NubbinError(
            f"The system refuses to execute the test {path}. Either the file or its interpreter "
            "is not executable (chmod +x), or it lies on a file system mounted noexec; then "
            "copy it elsewhere.",
        )
    if error.errno == errno.ETXTBSY:
        return NubbinError(
            f"The test {path} is open for writing, so the system does not run it. Close the "
            "program that writes it, and start again.",
        )
    return None
