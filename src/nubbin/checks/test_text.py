"""The text of a test: of its script, or of its command lines."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from nubbin.oracles.user_test import UserTest

_MAX_BYTES = 1 << 20


def scripts(test: UserTest) -> dict[str, str]:
    """Return the text of each script that a test consists of, by its path; none of a program."""
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
    """Return all that a person wrote of a test: command lines, and scripts."""
    return "\n".join((test.in_full, *scripts(test).values()))
