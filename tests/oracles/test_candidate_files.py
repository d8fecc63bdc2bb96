"""Writing a candidate to disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

from nubbin.oracles.isolation.candidate_files import write_files


def test_a_candidate_may_be_a_thousand_folders_deep(tmp_path: Path) -> None:
    try:
        write_files(
            {f"{'d/' * 1200}one": b"1", f"{'d/' * 1200}two": b"2", "e/f/g": b""}, str(tmp_path)
        )
        depth = ["find", str(tmp_path), "-type", "f", "-printf", "%d %s\n"]
        found = subprocess.run(depth, check=True, capture_output=True, text=True).stdout
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # too deep for some to remove
    assert sorted(found.splitlines()) == ["1201 1", "1201 1", "3 0"]
