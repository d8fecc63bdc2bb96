"""The commands that a page prints make exactly the rows that it is written from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.experiment import RECORD
from nubbin_bench import suites
from nubbin_bench.artifact import SUITES
from nubbin_bench.artifact.published import benchmarks
from nubbin_bench.cases import Case, write_case
from nubbin_bench.commands import main
from nubbin_bench.record import Record

ARTIFACT = Record.load(RECORD / "evaluation/raw/artifact.csv")


@pytest.mark.parametrize("suite", SUITES)
def test_a_page_lists_its_rows(suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def named(checkout: Path, work: Path) -> Iterator[Case]:
        for name in sorted(benchmarks(suite)):
            yield write_case(tmp_path / name, "input.c", "int x;\n", "#!/bin/sh\n")

    monkeypatch.setitem(SUITES, suite, named)
    monkeypatch.setattr(suites, "require_checkout", lambda folder: None)
    page = (RECORD / "evaluation" / f"{suite}.md").read_text(encoding="utf-8")
    listed: list[str] = []
    for line in page.splitlines():
        if line.startswith("    nubbin-bench run "):
            words = shlex.split(line.replace("CHECKOUT", str(tmp_path)))[1:]
            said = CliRunner().invoke(main, [*words, "--dry-run"])
            assert said.exit_code == 0, said.output
            listed += said.output.splitlines()
    expected = sorted(" ".join(key) for key, row in ARTIFACT.rows.items() if row.suite == suite)
    assert sorted(listed) == expected
