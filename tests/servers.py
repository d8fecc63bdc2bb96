"""Tests that are started once, and how they are asked."""

from __future__ import annotations

from pathlib import Path

from faults import script
from nubbin.oracles.local import LocalOracle
from nubbin.oracles.oracle import Answer
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict


def server(folder: Path, body: str, *, start: str = ":") -> UserTest:
    """Return a server in sh that runs `body` for each line, which is in $line."""
    loop = f"{start}\nwhile read -r line; do\n{body}\ndone"
    return UserTest.server(str(script(folder, loop, "server.sh")))


def function(folder: Path, body: str, *, top: str = "") -> UserTest:
    """Return a Python function `check(path)` with a body."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    file = folder / "tests_of_mine.py"
    file.write_text(f"import os, sys, time\n{top}\ndef check(path):\n{indented}\n")
    return UserTest.python(f"{file}:check")


def asked(test: UserTest, *contents: bytes, timeout: Timeout | float | None = 60.0) -> list[Answer]:
    with LocalOracle(test, "small.c", timeout=timeout) as ask:
        return [ask.explain({"small.c": each}) for each in contents]


def verdicts(answers: list[Answer]) -> list[Verdict]:
    return [answer.verdict for answer in answers]
