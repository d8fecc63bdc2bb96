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
from nubbin.executors.threads import Threads
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.processes.line_child import LineChild

test, folder, server, up, go = sys.argv[1:]
child = LineChild([server], folder="/", environment=os.environb, max_bytes=9)
print(child.ask(b"x", None))
oracle = LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), None, folder=Path(folder))
executor = Threads(2)
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
print(child.ask(b"x", None))
child.close()
"""


def test_a_fork_that_exits(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    up, go = tmp_path / "up", tmp_path / "go"
    os.mkfifo(up)
    os.mkfifo(go)
    test = script(tmp_path, f"echo up >{up}; read word <{go}; [ -s small.c ]")
    server = script(tmp_path, "while read question; do echo y; done", "server.sh")
    run = subprocess.run(
        [sys.executable, "-u", "-W", "ignore", "-c", DRIVER, test, home, server, up, go],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("b'y'\ninteresting\nb'y'\n", "")
    assert names(home) == []
