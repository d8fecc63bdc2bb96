"""Keep answers in a file, so that a resumed run does not need them again."""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.disk import Folder, followed

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
