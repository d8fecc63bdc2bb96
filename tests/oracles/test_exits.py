"""However the end of a process is waited for, it is seen, and reaps nothing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from nubbin.oracles.exits import by_looking, until_exit


@pytest.mark.parametrize("wait", [until_exit, by_looking])
def test_sees_the_end_and_leaves_the_reaping(wait: Callable[[int, float | None], bool]) -> None:
    process = subprocess.Popen(["sh", "-c", "read x; exit 7"], stdin=subprocess.PIPE)
    assert not wait(process.pid, 0)
    assert not wait(process.pid, 0.01)
    assert process.stdin is not None
    process.stdin.close()
    assert wait(process.pid, None)
    assert wait(process.pid, 0)
    assert process.wait() == 7
    assert wait(process.pid, None)
