"""What the project's pages say is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nubbin_bench.studied import ONE_MINIMAL
from nubbin_core.minimizers import ALGORITHMS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_table_of_algorithms_is_complete_and_true() -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (yes |)\|$", page, re.MULTILINE)
    assert {name for name, _ in rows} == set(ALGORITHMS)
    assert {name for name, minimal in rows if minimal} == ONE_MINIMAL
