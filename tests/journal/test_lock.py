"""A run is held by one process, and looked at by any number."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from nubbin.disk import Folder
from nubbin.journal.run_folders import hold, is_held


def looking(folder: Path) -> int:
    """Do what `is_held` does, and stay there."""
    looks = os.open(folder / "lock", os.O_RDONLY)
    fcntl.flock(looks, fcntl.LOCK_SH)
    return looks


def test_whoever_looks_sees_the_run_and_not_each_other(tmp_path: Path) -> None:
    assert not is_held(tmp_path)
    held = hold(Folder(tmp_path))
    assert is_held(tmp_path)
    os.close(held)
    looks = looking(tmp_path)
    assert not is_held(tmp_path)
    os.close(looks)


def test_a_look_at_this_very_instant_does_not_refuse_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.close(hold(Folder(tmp_path)))
    looks = looking(tmp_path)
    lock, refused = fcntl.flock, []

    def flock(descriptor: int, kind: int) -> None:
        try:
            lock(descriptor, kind)
        except BlockingIOError:
            refused.append(kind)
            lock(looks, fcntl.LOCK_UN)
            raise

    monkeypatch.setattr(fcntl, "flock", flock)
    held = hold(Folder(tmp_path))
    assert refused == [fcntl.LOCK_EX | fcntl.LOCK_NB]
    assert is_held(tmp_path)
    os.close(held)
    os.close(looks)
