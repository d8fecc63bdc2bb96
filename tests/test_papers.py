"""What the project's pages say is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nubbin_core.minimizers import ALGORITHMS, ONE_MINIMAL

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The first block of code in the README in a language that is to be run."""
    found = re.search(rf"(?<!-->\n)^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_table_of_algorithms_is_complete_and_true() -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (yes |)\|$", page, re.MULTILINE)
    assert {name for name, _ in rows} == set(ALGORITHMS)
    assert {name for name, minimal in rows if minimal} == ONE_MINIMAL


def test_the_tutorial_works(tmp_path: Path) -> None:
    nubbin = tmp_path / "bin/nubbin"
    nubbin.parent.mkdir()
    nubbin.write_text(f'#!/bin/sh\nexec {sys.executable} -m nubbin "$@"\n')
    nubbin.chmod(0o755)
    told = subprocess.run(
        ["sh", "-e", "-c", block("sh")],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{nubbin.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert (tmp_path / "sales.reduced.csv").read_text() == "name,total,count\n,9,0"


def test_the_example_in_python_works() -> None:
    exec(block("python"), {})
