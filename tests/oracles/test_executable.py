"""If a test cannot be run, the user learns it at once, in words that say what to do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from faults import PATIENCE_S, names, script
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.query_folders import MARK
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin_core.errors import NubbinError


def write(path: Path, data: bytes, mode: int = 0o755) -> None:
    path.write_bytes(data)
    path.chmod(mode)


Change = Callable[[Path], object]

BAD: dict[str, tuple[Change, str]] = {
    "absent": (lambda path: None, "no test at"),
    "folder": (lambda path: path.mkdir(), "a folder"),
    "circle": (lambda path: path.symlink_to(path), "cannot look up the path"),
    "pipe": (os.mkfifo, "not a regular file"),
    "mode": (lambda path: write(path, b"#!/bin/sh\n", 0o644), "chmod +x"),
    "interpreter": (lambda path: write(path, b"#!/no/such\n"), "'/no/such'"),
    "an interpreter on the PATH": (
        lambda path: write(path, b"#!/usr/bin/env no-such\n"),
        "'no-such'",
    ),
    "windows": (lambda path: write(path, b"#!/usr/bin/env python3\r\n"), "Windows"),
    "windows, and a shell": (lambda path: write(path, b"#!/bin/sh\r\nexit\r\n"), "Windows"),
    "no first line": (lambda path: write(path, b"exit 0\n"), "#!/bin/sh"),
    "empty": (lambda path: write(path, b""), "#!/bin/sh"),
}


@pytest.mark.parametrize("fault", BAD)
def test_seen_before_anything_runs(tmp_path: Path, fault: str) -> None:
    make, advice = BAD[fault]
    path = tmp_path / "a test"
    home = tmp_path / "home"
    home.mkdir()
    make(path)
    with pytest.raises(NubbinError) as raised:
        LocalOracle(OracleSpec(CommandTest.of(path), "small.c"), PATIENCE_S, folder=home)
    message = str(raised.value)
    assert advice in message
    assert str(path) in message
    assert "\n" not in message
    assert list(home.iterdir()) == []


LATER: dict[str, tuple[Change, str]] = {
    "removed": (lambda path: path.unlink(), "is gone"),
    "a mode": (lambda path: path.chmod(0o644), "refuses to execute"),
    "an interpreter": (lambda path: write(path, b"#!/no/such\n"), "interpreter or loader"),
    "a program of another kind": (
        lambda path: write(path, b"\x7fELF\0\0"),
        "not a program for this machine",
    ),
}


@pytest.mark.parametrize("fault", LATER)
def test_seen_when_it_starts(tmp_path: Path, fault: str) -> None:
    spoil, reason = LATER[fault]
    path = script(tmp_path, "exit 0")
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(OracleSpec(CommandTest.of(path), "small.c"), PATIENCE_S, folder=home) as ask:
        spoil(path)
        with pytest.raises(NubbinError, match=reason) as raised:
            ask({"small.c": b""})
        assert str(path) in str(raised.value)
        (root,) = home.iterdir()
        assert names(root) == [MARK]


def test_a_current_folder_that_is_gone_is_not_the_fault_of_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    test = ServerTest.of("cat")
    monkeypatch.chdir("/")
    gone.rmdir()
    with (
        LocalOracle(OracleSpec(test, "small.c"), PATIENCE_S) as ask,
        pytest.raises(FileNotFoundError, match=str(gone)),
    ):
        ask({"small.c": b""})


def test_a_program_and_a_link_to_one_are_fine(tmp_path: Path) -> None:
    program = shutil.which("true")
    assert program is not None
    link = tmp_path / "link"
    link.symlink_to(program)
    for path in (Path(program), link):
        with LocalOracle(OracleSpec(CommandTest.of(path), "small.c"), PATIENCE_S) as ask:
            assert ask({"small.c": b""}).exit_code == 0
