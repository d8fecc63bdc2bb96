"""Settings of the whole test suite, and real test scripts in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

Script = Callable[..., Path]

# The machine may be busy: no test fails for being slow. Failures are printed ready to replay.
settings.register_profile("nubbin", deadline=None, print_blob=True)
settings.load_profile("nubbin")


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write an executable shell script and return its path."""

    def write(body: str, name: str = "test.sh") -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return write
