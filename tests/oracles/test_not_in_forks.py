"""A fork that exits leaves alone what the first process made and still uses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from faults import PATIENCE_S, names, script

DRIVER = """
import os, sys
from pathlib import Path
from nubbin.documents.file import File
from nubbin.executors.local_executor import LocalExecutor
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.reduction.proposer import Program

test, folder, proposer, up, go = sys.argv[1:]
program = Program(proposer)
print(list(program.candidates(File("a", b"x"))))
oracle = LocalOracle(CommandTest.of(test), "small.c", timeout=None, folder=Path(folder))
executor = LocalExecutor(1)
future = executor.submit(oracle, {"small.c": b"x"})
with open(up) as said:
    said.read()
fork = os.fork()
if fork == 0:
    sys.exit()  # runs finalizers and exit handlers
os.waitpid(fork, 0)
with open(go, "w") as said:
    said.write("on")
print(future.result().verdict.value)
print(list(program.candidates(File("a", b"x"))))
"""


def test_a_fork_that_exits(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    up, go = tmp_path / "up", tmp_path / "go"
    os.mkfifo(up)
    os.mkfifo(go)
    test = script(tmp_path, f"echo up >{up}; read word <{go}; [ -s small.c ]")
    answers = """while read question; do echo '{"candidates": ["y"]}'; done"""
    proposer = script(tmp_path, answers, "proposer.sh")
    run = subprocess.run(
        [sys.executable, "-u", "-W", "ignore", "-c", DRIVER, test, home, proposer, up, go],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("[b'y']\ninteresting\n[b'y']\n", "")
    assert names(home) == []
