"""Only the processes of queries are killed, and all of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nubbin.oracles import escaped_processes, wait_exit
from nubbin.oracles.escaped_processes import EscapedProcesses

SLEEPS = [sys.executable, "-c", "import signal; print(flush=True); signal.pause()"]


@contextmanager
def sleeping(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(SLEEPS, cwd=folder, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["pinned", "by number"])
def _either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "by number":
        monkeypatch.delattr("os.pidfd_open", raising=False)


@pytest.mark.usefixtures("_either")
def test_a_stranger_that_got_the_number_is_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    with sleeping(folder) as process, sleeping(tmp_path) as stranger:
        found = [(process.pid, str(folder)), (stranger.pid, str(folder))]
        rounds = iter([found, []])
        looks = EscapedProcesses(str(tmp_path))
        monkeypatch.setattr(escaped_processes, "_KILL_TIMEOUT_S", 0.0)
        monkeypatch.setattr(looks, "living", lambda: next(rounds))
        looks.end(lambda _: True)
        assert process.wait() == -signal.SIGKILL
        assert stranger.poll() is None


def test_one_that_hangs_in_the_kernel_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    killed: list[int] = []

    @contextmanager
    def in_vain(pid: int) -> Iterator[Callable[[int], None]]:
        yield killed.append

    monkeypatch.setattr(escaped_processes, "pinned", in_vain)
    monkeypatch.setattr(escaped_processes, "_KILL_TIMEOUT_S", 0.0)
    with sleeping(folder):
        EscapedProcesses(str(tmp_path)).end(lambda _: True)
    assert killed == [signal.SIGKILL]


def test_a_number_that_nobody_has() -> None:
    with sleeping(Path("/")) as process:
        process.kill()
        process.wait()
        with pytest.raises(ProcessLookupError), wait_exit.pinned(process.pid) as send:
            send(0)


def test_one_that_executes_another_program_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For an instant it has no environment; its working folder is another already."""
    folder = tmp_path / "0"
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    with ended(subprocess.Popen(["sleep", "1000"], cwd="/", env=environment)) as process:
        read, looks = Path.read_bytes, [b"", b""]
        environ = Path(f"/proc/{process.pid}/environ")
        monkeypatch.setattr(
            Path,
            "read_bytes",
            lambda path: looks.pop() if looks and path == environ else read(path),
        )
        assert (process.pid, str(folder)) in set(EscapedProcesses(str(tmp_path)).living())
        assert not looks


def test_a_process_without_an_environment_is_known_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    with ended(subprocess.Popen(["/bin/sleep", "1000"], cwd=folder, env={})) as process:
        assert EscapedProcesses(str(tmp_path)).folder_of(process.pid) == str(folder)
