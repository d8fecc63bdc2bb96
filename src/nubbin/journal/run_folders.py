"""The folders of recorded runs: make, find and lock them, and keep answers in a file there."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from nubbin.disk import Folder, NotOurs, followed, try_lock
from nubbin.journal import schema
from nubbin_core.errors import NubbinError

#: The folder for runs, beside the result.
RUNS = ".nubbin"
#: The folder in a run for a copy of the result.
BEST = "best"
#: The folder in a run for a result that has no other place.
OUTPUT = "output"
# Makes git ignore everything in the folder of a run, including this file.
_GITIGNORE = ".gitignore"
#: The file that the writer of a run has locked, and that readers lock for a moment.
LOCK = "lock"
_BESIDE = (
    " beside the result",
    "Name another folder for the run, by --run-dir, or another place for the result, by --output.",
)


def new_run(beside: Path, name: str) -> Path:
    """Make the folder of a new run beside a result, and return it; raises OSError.

    Runs that begin in the same second get different folders. Raises NotOurs if other users may
    write to the folder for runs.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    runs = beside / RUNS
    with explaining(runs, *_BESIDE), Folder.made(followed(runs)) as ours:
        for number in count(1):
            run = stem if number == 1 else f"{stem}-{number}"
            with suppress(FileExistsError):
                os.mkdir(run, 0o700, dir_fd=ours.descriptor)
                return runs / run
    raise AssertionError("there is always another number")


def reduced_path(source: Path) -> Path:
    """Return the place beside a file where its result is by default."""
    return source.with_name(f"{source.stem}.reduced{source.suffix}")


def have_ignored(run: Folder) -> None:
    """Make git ignore the folder of a run."""
    run.write(_GITIGNORE, b"*\n")


@contextmanager
def kept_if_used(run: Path) -> Iterator[None]:
    """Make git ignore the new folder of a run, and remove it if the block writes nothing to it.

    So git does not show a run that is killed before it has a journal.
    """
    with Folder(followed(run)) as ours:
        have_ignored(ours)
    try:
        yield
    finally:
        with suppress(OSError), Folder(followed(run)) as ours:
            if ours.names() == {_GITIGNORE}:
                ours.remove([_GITIGNORE])
                run.rmdir()


def check_runs(beside: Path) -> None:
    """Raise the errors of `new_run` if the folder for runs exists and cannot be used."""
    runs = beside / RUNS
    with explaining(runs, *_BESIDE), suppress(FileNotFoundError):
        Folder(followed(runs)).close()


@contextmanager
def explaining(
    folder: Path, where: str = "", advice: str = "Name another folder for it."
) -> Iterator[None]:
    """Add to errors in the block that the run cannot be recorded, and what to do."""
    try:
        yield
    except NotOurs as error:
        raise NotOurs(f"The run cannot be recorded{where}: {error} {advice}") from error
    except OSError as error:
        how = "--run-dir names another place"
        raise OSError(f"the run cannot be recorded in {folder} ({how}): {error}") from error


def folders_in(folder: Path) -> list[Path]:
    """Return the folders of the runs that were recorded beside results in a folder."""
    return [place.parent for place in (folder / RUNS).glob(f"*/{schema.FILE}")]


def hold(folder: Folder) -> int:
    """Lock the run for this process; raises NubbinError if another process has it.

    See `Folder.lock` for the descriptor that it returns.
    """
    held = folder.lock(LOCK)
    if held is None:
        raise NubbinError(
            f"The run in {folder.path} is under way in another process. Wait for it, or end it "
            "first."
        )
    return held


def is_held(folder: Path) -> bool:
    """Tell whether a process is writing the run; disturbs no process."""
    try:
        # Do not wait for a pipe of this name.
        looking = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not try_lock(looking, fcntl.LOCK_SH)
    finally:
        os.close(looking)


#: The file in the folder of a run with the answers of the user's passes.
OF_PASSES = "edits"


class KeptAnswers:
    """Answers by the keys of requests, in memory and in a file that `open` names.

    The file has one line per answer. Raises OSError if it cannot be read or written.
    """

    def __init__(self) -> None:
        self._answers: dict[str, bytes] = {}
        self._file: int | None = None

    def open(self, folder: Path, name: str = OF_PASSES) -> None:
        """Read the file of this name, and append new answers to it."""
        with Folder(followed(folder)) as ours:
            self._file = ours.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with open(self._file, "rb", closefd=False) as file:
            *whole, half = file.read().split(b"\n")
        os.ftruncate(self._file, os.fstat(self._file).st_size - len(half))  # of a killed process
        for line in whole:
            key, _, answer = line.partition(b" ")
            self._answers[key.decode(errors="replace")] = answer

    def get(self, key: str) -> bytes | None:
        """Return an answer, which is a line of JSON; None if there is none."""
        return self._answers.get(key)

    def keep(self, key: str, answer: bytes) -> None:
        """Keep an answer."""
        self._answers[key] = answer
        if self._file is not None:
            with open(self._file, "ab", closefd=False) as file:
                file.write(b"%b %b\n" % (key.encode(), answer))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
