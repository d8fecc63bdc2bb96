from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from nubbin.cli.work.run import late_warnings


def test_warnings_of_any_thread_come_at_the_end() -> None:
    said = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(KeyboardInterrupt), late_warnings(Console(file=said)):
            thread = threading.Thread(target=warnings.warn, args=("left: [x]", RuntimeWarning))
            thread.start()
            thread.join()
            assert said.getvalue() == ""
            raise KeyboardInterrupt
    assert said.getvalue() == "nubbin: left: [x]\n"


def test_what_a_test_leaves_for_good_is_told(
    script: Callable[..., Path], letters: Path, tmp_path: Path
) -> None:
    able = tmp_path / "able"
    able.touch()
    for change in ("+i", "-i"):
        try:
            subprocess.run(["chattr", change, able], check=True, capture_output=True)
        except (subprocess.CalledProcessError, FileNotFoundError):
            pytest.skip("takes the superuser, and a disk that can")
    test = script(
        "[ -e $0.once ] || { touch $0.once stuck; chattr +i stuck; }; grep -q e letters.txt"
    )
    home = tmp_path / "home"
    home.mkdir()
    told = subprocess.run(
        [sys.executable, "-m", "nubbin", "reduce", "-q", test, letters],
        env={**os.environ, "TMPDIR": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    for stuck in home.rglob("stuck"):
        subprocess.run(["chattr", "-i", stuck], check=True)
    (root,) = home.iterdir()
    assert told.returncode == 0
    assert told.stderr.splitlines() == [
        f"nubbin: The temporary folder {root} could not be removed: Operation not permitted: "
        "'stuck', which a test left there. Remove it by hand."
    ]
