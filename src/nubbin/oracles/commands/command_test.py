"""A test that is an executable: can it be run, and its runner, one process per query."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from nubbin.oracles.commands.command_line import quoted_path, quoted_word
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.output import PipeReader
from nubbin.oracles.processes import cancellation
from nubbin.oracles.user_test import UserTest
from nubbin.user_paths import check_lookup
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import CANNOT_SAY, DIFFERENT, Answer, Verdict


class CommandTest(UserTest):
    """An executable that is run once per query."""

    __slots__ = ()
    kind = "command"
    has_server = False
    has_own_file = True
    _contract = (
        "The test must exit with status 0 as long as the input misbehaves, and with another "
        "status when it no longer does. It is run in a new folder that contains only "
        "{contents}{argument}. A test that needs other files must name them by absolute paths."
    )

    @classmethod
    def of(cls, test: StrPath) -> CommandTest:
        """Return the test that an executable is; raises NubbinError if it cannot be run."""
        return cls((str(locate(Path(test))),), str(Path.cwd()))

    @property
    def _as_option(self) -> str:
        return quoted_path(self.path, self.folder)

    @property
    def interpreter_words(self) -> list[str]:
        """The interpreter of a script, and its arguments; [] for any other executable."""
        return interpreter_line(os.fsencode(self.scripts.get(self.words[0], "")))

    def runner(self, folders: QueryFolders) -> Runner:
        return CommandRunner(self.words, folders)


@dataclass(frozen=True, slots=True)
class CommandRunner(Runner):
    """Runs an executable, the first of `words`, once per query.

    The candidate's absolute path is its last argument, and a single file is also its stdin; see
    `QueryFolders.start` for its environment. Exit code 0 is interesting, 125 and a time-out are
    unresolved, and any other is uninteresting; 101 is also a different failure.
    """

    words: tuple[str, ...]
    folders: QueryFolders

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once; raises NubbinError if it cannot be started."""
        with (
            candidate.stdin() as stdin,
            PipeReader() if explain else nullcontext() as reader,
            Path(os.devnull).open("wb", buffering=0) as null,
        ):
            output = reader.writer if reader else null.fileno()
            streams = stdin.fileno(), output, output
            started = time.perf_counter()
            try:
                process = self.folders.start([*self.words, candidate.path], candidate, streams)
            except OSError as error:
                raise diagnose(Path(self.words[0]), error, candidate.folder) or error from None
            with process, cancellation.current().on_cancel(process.kill):
                in_time = process.wait(limit)
                seconds = time.perf_counter() - started
        code = process.exit_code
        verdict = Verdict.INTERESTING if code == 0 else Verdict.UNINTERESTING
        return Answer(
            Verdict.UNRESOLVED if not in_time or code == CANNOT_SAY else verdict,
            seconds,
            code,
            timed_out=not in_time,
            output=bytes(reader.excerpt) if reader else b"",
            different=in_time and code == DIFFERENT,
        )


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
            return f"Give the command that runs it: --run 'CMD {quoted_word(path)}'"
    return f"If it should be, type: chmod +x {quoted_word(path)}"


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
            f"sed -i 's/\\r$//' {quoted_word(path)}"
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
