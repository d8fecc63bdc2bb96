"""Reduce a folder with a test that runs Python: one run is traced, and says what to try first."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import nubbin
from nubbin.reduction.events import Event, Traced

_FILES = {
    "lib/__init__.py": "from .a import half\nfrom .b import never\n",
    "lib/a.py": "def half(n):\n    if n > 9:\n        return 'large'\n    return 1 / n\n",
    "lib/b.py": "def never(n):\n" + "    n = n + 1\n" * 99 + "    return n\n",
    "lib/c.py": "def unused():\n    return 3\n",
    "test_lib.py": "import unittest\nfrom lib import half\nclass Test(unittest.TestCase):\n"
    "    def test_half(self):\n        half(0)\n",
    "main.py": "from lib import half\nhalf(0)\n",
}
_FAILURE = "ZeroDivisionError"


@pytest.mark.parametrize(
    "line",
    [
        "export PYTHONPATH=.; PYTHON -m unittest -q test_lib",
        "sh -c 'PYTHONPATH=\"$PWD\" PYTHON -m pytest -q -p no:cacheprovider'",
        "PYTHON main.py",
    ],
)
@pytest.mark.parametrize("is_script", [True, False])
def test_what_a_traced_run_does_not_use_is_removed_first(
    line: str, is_script: bool, tmp_path: Path
) -> None:
    line = line.replace("PYTHON ", f"{sys.executable} ")
    left, traced = _reduced(f"cd p && {line} 2>&1 | grep {_FAILURE}", is_script, tmp_path)
    assert [each.files for each in traced] == [len(_FILES)]
    assert "lib/c.py" not in left
    assert "n + 1" not in left.get("lib/b.py", "")
    assert "large" not in left["lib/a.py"]


def test_a_test_that_runs_no_python_is_not_traced(tmp_path: Path) -> None:
    assert _reduced("grep -q 'return 1 / n' p/lib/*", True, tmp_path)[1] == []


def _reduced(line: str, is_script: bool, folder: Path) -> tuple[dict[str, str], list[Traced]]:
    """Return the files after four queries, and the events of traces."""
    for name, text in _FILES.items():
        (folder / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "p" / name).write_text(text)
    script = folder / "test.sh"
    script.write_text(f"#!/bin/sh\n{line}\n")
    script.chmod(0o755)
    events: list[Event] = []
    test = script if is_script else nubbin.Command(run=line, exits="0", prints=_FAILURE)
    source = folder / "p"
    nubbin.reduce(test, source, output=folder / "out", max_queries=4, observers=[events.append])
    assert script.read_text() == f"#!/bin/sh\n{line}\n"
    found = {
        str(path.relative_to(folder / "out")): path.read_text()
        for path in (folder / "out").rglob("*.py")
    }
    return found, [each for each in events if isinstance(each, Traced)]
