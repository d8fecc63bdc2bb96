"""Every script of bench/ starts, shows its help, and is in bench/README.md."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
SCRIPTS = [path for path in sorted(BENCH.glob("*.py")) if path.read_text().startswith("#!")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_shows_its_help(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert ended.value.code == 0
    assert f"usage: {script.name}" in capsys.readouterr().out
    assert os.access(script, os.X_OK)
    assert f"[{script.name}]" in (BENCH / "README.md").read_text()
