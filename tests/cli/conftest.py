from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """An input of 26 lines: a to z."""
    path = tmp_path / "letters.txt"
    path.write_text("".join(f"{chr(code)}\n" for code in range(97, 123)))
    return path
