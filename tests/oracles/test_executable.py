"""A test that cannot be run is told to the user at once, in words that say what to do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from faults import PATIENCE_S, names, script
from nubbin.oracles.errors import (
    UnusableTest,
)
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.roots import MARK


def write(path: Path, data: bytes, mode: int = 0o755) -> None:
    path.write_bytes(data)
    path.chmod(mode)


Change = Callable[[Path], object]

BAD: dict[str, tuple[Change, type[UnusableTest], str]] = {
    "absent": (lambda path: None, UnusableTest, "no test at"),
    "folder": (lambda path: path.mkdir(), UnusableTest, "a folder"),
    "pipe": (os.mkfifo, UnusableTest, "not a regular file"),
    "mode": (lambda path: write(path, b"#!/bin/sh\n", 0o644), UnusableTest, "chmod +x"),
    "interpreter": (lambda path: write(path, b"#!/no/such\n"), UnusableTest, "'/no/such'"),
    "windows": (lambda path: write(path, b"#!/bin/sh\r\nexit\r\n"), UnusableTest, "Windows"),
    "no first line": (lambda path: write(path, b"exit 0\n"), UnusableTest, "#!/bin/sh"),
    "empty": (lambda path: write(path, b""), UnusableTest, "#!/bin/sh"),
}


@pytest.mark.parametrize("fault", BAD)
def test_seen_before_anything_runs(tmp_path: Path, fault: str) -> None:
    make, error, advice = BAD[fault]
    path = tmp_path / "a test"
    home = tmp_path / "home"
    home.mkdir()
    make(path)
    with pytest.raises(error) as raised:
        LocalOracle(path, "small.c", timeout=PATIENCE_S, folder=home)
    assert issubclass(error, UnusableTest)
    assert raised.value.test == path
    message = str(raised.value)
    assert advice in message
    assert str(path) in message
    assert "\n" not in message
    assert list(home.iterdir()) == []


LATER: dict[str, tuple[Change, type[UnusableTest]]] = {
    "removed": (lambda path: path.unlink(), UnusableTest),
    "a mode": (lambda path: path.chmod(0o644), UnusableTest),
    "an interpreter": (lambda path: write(path, b"#!/no/such\n"), UnusableTest),
    "a program of another kind": (lambda path: write(path, b"\x7fELF\0\0"), UnusableTest),
}


@pytest.mark.parametrize("fault", LATER)
def test_seen_when_it_starts(tmp_path: Path, fault: str) -> None:
    spoil, error = LATER[fault]
    path = script(tmp_path, "exit 0")
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(path, "small.c", timeout=PATIENCE_S, folder=home) as ask:
        spoil(path)
        with pytest.raises(error, match=str(path)):
            ask({"small.c": b""})
        (root,) = home.iterdir()
        assert names(root) == [MARK]


def test_a_program_and_a_link_to_one_are_fine(tmp_path: Path) -> None:
    program = shutil.which("true")
    assert program is not None
    link = tmp_path / "link"
    link.symlink_to(program)
    for path in (Path(program), link):
        with LocalOracle(path, "small.c", timeout=PATIENCE_S) as ask:
            assert ask({"small.c": b""}).exit_code == 0
