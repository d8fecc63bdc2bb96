from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

Script = Callable[..., Path]


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """An input of 26 lines: a to z."""
    path = tmp_path / "letters.txt"
    path.write_text("".join(f"{chr(code)}\n" for code in range(97, 123)))
    return path


@pytest.fixture
def waiting(script: Script, letters: Path) -> Path:
    """A test whose first proper query goes on when something is written to the pipe `go`."""
    go = letters.with_name("go")
    os.mkfifo(go)
    script(
        f"""
        grep -q a letters.txt || exit 1
        [ $(wc -c <letters.txt) -eq 52 ] && exit 0
        [ -e {go}ne ] || {{ read line <{go}; touch {go}ne; }}
        """
    )
    return go
