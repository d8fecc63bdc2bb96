"""A test that takes too much is ended, whatever kind it is, and the next one is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether, names, script
from nubbin.oracles import watch
from nubbin.oracles.local import LocalOracle
from nubbin.oracles.oracle import Answer
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

MEMORY = 256 << 20

#: A function of a path, to be called as a test of any kind: it holds 64 MiB more, again and
#: again, in as many processes as it is told, unless the candidate is small.
GREEDY = """
import os, sys, time

def check(path, forks={forks}):
    if "small" in open(path).read():
        return True
    held = []
    for _ in range(forks):
        if os.fork() == 0:
            break
    while len(held) < {most}:
        held.append(bytearray(os.urandom(1 << 20)) * 64)
    time.sleep(1000)

if __name__ == "__main__" and len(sys.argv) > 1:
    sys.exit(not check(sys.argv[1]))
elif __name__ == "__main__":
    for line in sys.stdin:
        print("interesting" if check(line.strip()) else "uninteresting", flush=True)
"""


def made(folder: Path, kind: str, text: str) -> UserTest:
    file = folder / "greedy.py"
    file.write_text(text)
    if kind == "python":
        return UserTest.python(f"{file}:check")
    if kind == "server":
        return UserTest.server(f"{sys.executable} {file}")
    return UserTest.command(script(folder, f'exec {sys.executable} {file} "$1"'))


def run(test: UserTest, home: Path, memory: int | None = MEMORY) -> Answer:
    """Ask about a small candidate, a big one and a small one; return the answer in the middle."""
    home.mkdir()
    with LocalOracle(test, "x.txt", timeout=PATIENCE_S, memory=memory, folder=home) as ask:
        small, big, after = (ask({"x.txt": text}) for text in (b"small", b"big", b"small"))
    assert (small.verdict, small.exceeded) == (Verdict.INTERESTING, None)
    assert (after.verdict, after.exceeded) == (Verdict.INTERESTING, None)
    assert names(home) == []
    return big


@pytest.mark.parametrize("kind", ["command", "server", "python"])
@pytest.mark.parametrize(("forks", "most"), [(0, 8), (7, 1)])
def test_memory_is_that_of_all_processes(tmp_path: Path, kind: str, forks: int, most: int) -> None:
    test = made(tmp_path, kind, GREEDY.format(forks=forks, most=most))
    answer = run(test, tmp_path / "home")
    assert (answer.verdict, answer.timed_out) == (Verdict.UNRESOLVED, False)
    assert answer.exceeded == "the memory it may use"


def test_address_space_is_free(tmp_path: Path) -> None:
    """Sanitizers and virtual machines reserve terabytes."""
    body = "from mmap import *; mmap(-1, 1 << 38, flags=MAP_PRIVATE | MAP_ANONYMOUS, prot=0)"
    test = script(tmp_path, f"{sys.executable} -c '{body}'")
    with LocalOracle(test, "x.txt", timeout=PATIENCE_S, memory=MEMORY) as ask:
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING


def test_processes_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "PROCESSES", 50)  # for the sake of the machine
    with Tether(tmp_path) as tether:
        # Bounded, should the limit fail.
        bomb = f"exec 9> {tether.path}; for i in $(seq 100); do setsid sleep 1000 & done; wait"
        test = script(tmp_path, f"grep -q small x.txt && exit 0; {bomb}")
        answer = run(UserTest.command(test), tmp_path / "home", None)
        assert (answer.verdict, answer.exceeded) == (Verdict.UNRESOLVED, "50 processes")
        tether.assert_cut()


def test_room_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "ROOM", 100 << 20)
    # Others may free as much meanwhile; bounded, should the limit fail.
    fills = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); head -c 1000000 /dev/zero > $i; done"
    test = script(tmp_path, f"grep -q small x.txt && exit 0; {fills}; sleep 1000")
    answer = run(UserTest.command(test), tmp_path / "home", None)
    assert answer.verdict is Verdict.UNRESOLVED
    assert answer.exceeded == "the room there is for temporary files"
