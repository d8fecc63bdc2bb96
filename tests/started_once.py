"""Tests that are started once, and how they are asked."""

from __future__ import annotations

from pathlib import Path

from faults import LIMITS_S, PATIENCE_S, Tether, script
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Timeout
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.verdict import Answer, Verdict


def server(folder: Path, body: str, *, start: str = ":") -> UserTest:
    """Return a server in sh that runs `body` for each line, which is in $line."""
    loop = f"{start}\nwhile read -r line; do\n{body}\ndone"
    return ServerTest.of(str(script(folder, loop, "server.sh")))


def function(folder: Path, body: str, *, top: str = "") -> UserTest:
    """Return a Python function `check(path)` with a body."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    file = folder / "tests_of_mine.py"
    file.write_text(f"import os, sys, time\n{top}\ndef check(path):\n{indented}\n")
    return PythonTest.of(f"{file}:check")


def asked(
    test: UserTest, *contents: bytes, timeout: Timeout | float | None = PATIENCE_S
) -> list[Answer]:
    with LocalOracle(OracleSpec(test, "small.c"), timeout) as ask:
        return [ask.explain({"small.c": each}) for each in contents]


class Given(Timeout):
    """A limit that the test gives, from question to question."""

    def learn(self, seconds: float) -> None:
        pass


def asked_slow(test: UserTest, tether: Tether) -> list[Answer]:
    """Ask `fast`, then `slow`, which has to say that it is up and to hang then, then `fast`."""
    given = Given(PATIENCE_S)
    with LocalOracle(OracleSpec(test, "small.c"), given) as ask:
        first = ask.explain({"small.c": b"fast"})
        for given.limit in LIMITS_S:
            slow = ask.explain({"small.c": b"slow"})
            if tether.heard():
                break
        given.limit = PATIENCE_S
        return [first, slow, ask.explain({"small.c": b"fast"})]


def verdicts(answers: list[Answer]) -> list[Verdict]:
    return [answer.verdict for answer in answers]
