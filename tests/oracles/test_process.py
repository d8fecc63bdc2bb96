"""A process takes its group with it, even on systems where escaped processes are not found."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from faults import Tether, script
from nubbin.oracles.processes.process import Process


@pytest.mark.parametrize("ends", [True, False], ids=["ends", "hangs"])
def test_the_group_goes_with_its_leader(tmp_path: Path, ends: bool) -> None:
    with Tether(tmp_path) as tether:
        job = "(trap '' TERM HUP; sleep 1000) & echo up >&9"
        body = f"exec 9> {tether.path}; {job}; {'exit 5' if ends else 'wait'}"
        nothing = os.open(os.devnull, os.O_RDWR)
        with Process(
            [str(script(tmp_path, body))],
            folder=str(tmp_path),
            environment={b"PATH": os.fsencode(os.environ["PATH"])},
            streams=(nothing, nothing, nothing),
        ) as process:
            assert tether.read() == b"up\n"
            assert process.wait(None if ends else 0) is ends
        os.close(nothing)
        tether.assert_cut()
        assert process.exit_code == (5 if ends else -9)
        process.kill()  # in vain, and harmless: its number may be another's by now


def test_ctrl_z_does_not_stop_what_is_being_started(tmp_path: Path) -> None:
    status, here = tmp_path / "status", f"/proc/{os.getpid()}/status"
    if not Path(here).exists():
        pytest.skip("only Linux tells which signals a process does not hear")
    with status.open("wb") as output, Path(os.devnull).open("rb") as nothing:
        process = Process(
            ["grep", "SigBlk", "/proc/self/status"],
            folder=str(tmp_path),
            environment={b"PATH": os.fsencode(os.environ["PATH"])},
            streams=(nothing.fileno(), output.fileno(), output.fileno()),
        )
        with process:
            process.wait(None)
    blocked = int(status.read_text().split()[1], 16)
    assert blocked == 1 << (signal.SIGTSTP - 1)
    assert signal.SIGTSTP not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
