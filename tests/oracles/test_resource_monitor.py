"""A test that takes too much is ended, whatever its kind, and the next one is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples, mostly_nightly
from faults import PATIENCE_S, Tether, names, script
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.processes import resource_monitor
from nubbin.oracles.processes.resource_monitor import (
    DiskSpace,
    ResourceMonitor,
    Work,
    disk_usage,
    memory,
    memory_bounds,
    unlinked_bytes,
    work,
)
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.verdict import Answer, Verdict

MEMORY = 256 << 20

#: A function of a path, to be called as a test of any kind: it holds 64 MiB more, again and
#: again, in as many processes as its argument says, unless the candidate is small.
GREEDY = """
import mmap, os, sys, time

def check(path, forks={forks}):
    if "small" in open(path).read():
        return True
    held = []
    for _ in range(forks):
        if os.fork() == 0:
            break
    while len(held) < {most}:
        held.append({how}(bytearray(os.urandom(1 << 20)) * 64))
    time.sleep(1000)

def mapped(data, file=-1):
    memory = mmap.mmap(file, len(data))
    memory[:] = data
    return memory

def mapped_file(data):
    file = os.memfd_create("held")
    os.truncate(file, len(data))
    return mapped(data, file)

def file(data):
    file = os.memfd_create("held")
    os.write(file, data)

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
        return PythonTest.of(f"{file}:check")
    if kind == "server":
        return ServerTest.of(f"{sys.executable} {file}")
    return CommandTest.of(script(folder, f'exec {sys.executable} {file} "$1"'))


def run(test: UserTest, home: Path, memory: int | None = MEMORY) -> Answer:
    """Ask about a small candidate, a big one and a small one; return the answer in the middle."""
    home.mkdir()
    with LocalOracle(OracleSpec(test, "x.txt", memory=memory), PATIENCE_S, folder=home) as ask:
        small, big, after = (ask({"x.txt": text}) for text in (b"small", b"big", b"small"))
    assert (small.verdict, small.exceeded) == (Verdict.INTERESTING, None)
    assert (after.verdict, after.exceeded) == (Verdict.INTERESTING, None)
    assert names(home) == []
    return big


@pytest.mark.parametrize("kind", mostly_nightly(["command", "server", "python"], ["command"]))
@pytest.mark.parametrize(("forks", "most"), [(0, 8), (7, 1)])
def test_memory_is_that_of_all_processes(tmp_path: Path, kind: str, forks: int, most: int) -> None:
    test = made(tmp_path, kind, GREEDY.format(forks=forks, most=most, how="bytearray"))
    answer = run(test, tmp_path / "home")
    assert (answer.verdict, answer.timed_out) == (Verdict.UNRESOLVED, False)
    assert answer.exceeded == "the memory it may use"


@pytest.mark.parametrize("how", ["mapped", "mapped_file", "file"])
def test_memory_is_held_in_many_ways(tmp_path: Path, how: str) -> None:
    test = made(tmp_path, "command", GREEDY.format(forks=0, most=16, how=how))
    answer = run(test, tmp_path / "home")
    assert (answer.verdict, answer.exceeded) == (Verdict.UNRESOLVED, "the memory it may use")


SHARES = """
import mmap, os, signal
held = bytearray(os.urandom(1 << 20)) * {private}
file = os.memfd_create("held")
os.truncate(file, {shared} << 20)
maps = [mmap.mmap(file, {shared} << 20) for _ in range(3)]
for each in maps:
    each[:] = bytes({shared} << 20)
for _ in range(4):
    if os.fork() == 0:
        [each.find(b'x') for each in maps]
        break
os.write(1, b"%d\\n" % os.getpid())
signal.pause()
"""


@pytest.mark.parametrize(("private", "shared"), [(50, 1), (1, 50), (30, 30)])
def test_shared_memory_counts_once(private: int, shared: int) -> None:
    program = SHARES.format(private=private, shared=shared)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            pids = [int(process.stdout.readline()) for _ in range(5)]
            files = unlinked_bytes(pids, "/memfd:")
            least, most = memory_bounds(pids, files)
            exact = memory(pids, files)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert files == shared << 20
    held = (private + shared) << 20
    assert held <= exact < held + (60 << 20)  # some for each of five interpreters
    assert least <= exact <= most
    assert most > 3 * held


def test_a_stranger_with_the_number_of_a_process_is_not_counted(tmp_path: Path) -> None:
    looks = ResourceMonitor(dict, str(tmp_path), 1000)
    looks.close()
    assert memory_bounds([os.getpid()], 0)[0] > 1000
    with looks.monitored(str(tmp_path / "0"), lambda: None) as monitored:
        monitored.processes = [os.getpid()]
        looks._check_memory()
        assert monitored.exceeded is None


def test_address_space_is_free(tmp_path: Path) -> None:
    """Sanitizers and virtual machines reserve terabytes."""
    body = "from mmap import *; mmap(-1, 1 << 38, flags=MAP_PRIVATE | MAP_ANONYMOUS, prot=0)"
    test = script(tmp_path, f"{sys.executable} -c '{body}'")
    with LocalOracle(OracleSpec(CommandTest.of(test), "x.txt", memory=MEMORY), PATIENCE_S) as ask:
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING


def test_processes_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_monitor, "MAX_PROCESSES", 50)  # for the sake of the machine
    with Tether(tmp_path) as tether:
        # Bounded, should the limit fail.
        bomb = f"exec 9> {tether.path}; for i in $(seq 100); do setsid sleep 1000 & done; wait"
        test = script(tmp_path, f"grep -q small x.txt && exit 0; {bomb}")
        answer = run(CommandTest.of(test), tmp_path / "home", None)
        assert (answer.verdict, answer.exceeded) == (Verdict.UNRESOLVED, "50 processes")
        tether.assert_cut()


# Others may free as much meanwhile: each writes far more than the limit, but not without end.
FILLS = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); head -c 1000000 /dev/zero > $i; done"
DIVES = (
    "import os\n"
    "for _ in range({levels}):\n    os.mkdir({name!r})\n    os.chdir({name!r})\n"
    "for each in range(3000):\n    open(str(each), 'wb').write(bytes(1 << 20))\n"
)


@pytest.mark.parametrize(
    "fills",
    [
        FILLS,
        "exec 8>big; rm big; head -c 3000000000 /dev/zero >&8",
        pytest.param(
            f'{sys.executable} -c "{DIVES.format(levels=1100, name="d")}"',
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            f'{sys.executable} -c "{DIVES.format(levels=100, name="d" * 200)}"',
            marks=pytest.mark.nightly,
        ),
    ],
    ids=["many files", "a removed file", "deeper than Python nests", "deeper than paths are long"],
)
def test_room_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fills: str) -> None:
    monkeypatch.setattr(resource_monitor, "MAX_DISK_BYTES", 100 << 20)
    test = script(tmp_path, f"grep -q small x.txt && exit 0; {fills}; sleep 1000")
    answer = run(CommandTest.of(test), tmp_path / "home", None)
    assert answer.verdict is Verdict.UNRESOLVED
    assert answer.exceeded == "the room there is for temporary files"


def test_files_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_monitor, "MAX_FILES", 1000)
    # As of a disk that nobody else uses: on others, as many may go at the same time.
    monkeypatch.setattr(
        resource_monitor,
        "free_space",
        lambda root: DiskSpace(1 << 40, (1 << 40) - disk_usage(root).files),
    )
    fills = "mkdir d; cd d; touch $(seq 2000)"
    test = script(tmp_path, f"grep -q small x.txt && exit 0; {fills}; sleep 1000")
    answer = run(CommandTest.of(test), tmp_path / "home", None)
    assert answer.exceeded == "the room there is for temporary files"


@examples(30)
@given(
    st.recursive(
        st.integers(0, 20_000),
        lambda inner: st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
        max_leaves=20,
    )
)
def test_disk_usage_is_what_lies_there(tree: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder, "top")
        grow(top, {"tree": tree})
        (top / "link").symlink_to("/")
        places = list(top.rglob("*"))
        size = sum(each.lstat().st_blocks * 512 for each in places)
        assert disk_usage(str(top)) == DiskSpace(size, len(places))
        if sizes := [each for each in places if each.is_file() and not each.is_symlink()]:
            os.link(sizes[0], top / "twin")  # the same bytes by another name
            assert disk_usage(str(top)) == DiskSpace(size, len(places) + 1)


def grow(place: Path, tree: object) -> None:
    if isinstance(tree, dict):
        place.mkdir()
        for name, inner in tree.items():
            grow(place / name, inner)
    else:
        place.write_bytes(bytes(cast("int", tree)))


class Failing:
    """Cannot look for processes until it is mended; then it sees far too many."""

    mended = False

    def processes(self) -> dict[str, list[int]]:
        if not self.mended:
            raise OSError("no descriptor left")
        return {"query": [0] * (resource_monitor.MAX_PROCESSES + 1)}


def test_a_watch_that_fails_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_monitor, "_MIN_AGE_S", 0.001)
    failing, stopped, warned = Failing(), threading.Event(), threading.Event()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        heard: list[str] = []

        def hear(message: object, *_: object, **__: object) -> None:
            heard.append(str(message))
            warned.set()

        monkeypatch.setattr("warnings.showwarning", hear)
        looks = ResourceMonitor(failing.processes, str(tmp_path), None)
        with looks.monitored("query", stopped.set) as monitored:
            assert warned.wait(PATIENCE_S)
            failing.mended = True
            assert stopped.wait(PATIENCE_S)
        looks.close()
    assert monitored.exceeded == f"{resource_monitor.MAX_PROCESSES} processes"
    assert len(heard) == 1
    assert "no descriptor left" in heard[0]


def test_what_processes_have_done(tmp_path: Path) -> None:
    before, earlier = work([os.getpid()]), sum(os.times()[:4])
    (tmp_path / "file").write_bytes(b"x" * 4096)
    subprocess.run(["sh", "-c", f"printf 123456 >> {tmp_path}/file"], check=True)
    after, later = work([os.getpid()]), sum(os.times()[:4])
    assert after.written - before.written >= 4096 + 6
    assert before.seconds <= earlier + 0.05
    assert earlier - 0.05 <= after.seconds <= later + 0.05
    assert work([-1]) == Work()
