"""Shared by all tests: real test scripts in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Script = Callable[..., Path]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write an executable shell script and return its path."""

    def write(body: str, name: str = "test.sh") -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return write
