"""A clone does what a start by exec does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import forked


@pytest.mark.parametrize("words", [["--version"], ["reduce", "--no-such-option"], ["log", "."]])
def test_a_clone_is_as_a_start_by_exec(words: list[str], tmp_path: Path) -> None:
    if subprocess.Popen is forked.by_exec:
        pytest.skip("everything starts by exec here")
    told = []
    for start in (subprocess.Popen, forked.by_exec):
        with start(
            [sys.executable, "-m", "nubbin", *words],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            told.append((*process.communicate(), process.returncode))
    assert told[0] == told[1]
    assert forked.Popen.servers[sys.executable, "-m", "nubbin"].is_up
