"""What the passes of the user answered: a resumed run does not ask them again."""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.disk import Folder, followed

NAME = "edits"


class PassAnswers:
    """The answers by the key of the question, in memory and, if there is one, in a run's folder.

    The file has a line for each. Of a killed process it may end with half a line: that question is
    asked again. Raises OSError if the file cannot be read or written.
    """

    def __init__(self) -> None:
        self._answers: dict[str, bytes] = {}
        self._file: int | None = None

    def open(self, folder: Path) -> None:
        """Read what is in the folder of a run, and keep there what comes."""
        with Folder(followed(folder)) as ours:
            self._file = ours.open(NAME, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with open(self._file, "rb", closefd=False) as file:
            for line in file:
                key, _, answer = line.partition(b" ")
                if answer.endswith(b"}\n"):
                    self._answers[key.decode(errors="replace")] = answer
        os.write(self._file, b"\n")  # after half a line

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
