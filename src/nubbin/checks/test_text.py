"""Read the text of a test: its scripts and command lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nubbin.oracles.user_test import UserTest

_MAX_BYTES = 1 << 20


def scripts(test: UserTest) -> dict[str, str]:
    """Return the text of each script in a test, by its path; binary files are left out."""
    texts = {}
    for word in test.words:
        path = Path(test.folder, word)
        with suppress(OSError):
            if path.is_file() and path.stat().st_size <= _MAX_BYTES:
                data = path.read_bytes()
                if b"\0" not in data:
                    texts[word] = os.fsdecode(data)
    return texts


def text_of(test: UserTest) -> str:
    """Return everything that a person wrote of a test: command lines, and scripts."""
    return "\n".join((test.in_full, *scripts(test).values()))


def numbered(test: UserTest) -> Iterator[tuple[str, int, str]]:
    """Yield each line of the scripts in a test: the path, the number, the text. No comments."""
    for script, text in scripts(test).items():
        for number, line in enumerate(text.splitlines(), 1):
            if not line.lstrip().startswith("#"):
                yield script, number, line
