"""The page for a newcomer's algorithm, as it stands ttmp_path, from a folder outside of nubbin."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faults import PATIENCE_S
from harness.experiment import DOCS
from nubbin_bench import figures, tables
from nubbin_bench.cases import write_case
from nubbin_bench.record import Record
from nubbin_bench.results import Results

PROGRAM = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(30))
TEST = "#!/bin/sh\ngrep -q f17 input.c && grep -q f3 input.c\n"
NAME = "thirds.py:Thirds"


@pytest.mark.nightly
def test_the_page_runs_and_the_algorithm_is_in_every_table(tmp_path: Path) -> None:
    """All but the command that makes all pages, which takes longer than all others."""
    page = (DOCS / "new-algorithm.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    algorithm, *programs = (code for language, code in blocks if language == "python")
    (commands,) = (code for language, code in blocks if language == "sh")
    (tmp_path / "thirds.py").write_text(algorithm)
    (tmp_path / "program.py").write_text("\n".join(programs))
    write_case(tmp_path / "cases/perses-small", "input.c", PROGRAM, TEST)
    for name in ("input.c", "test.sh"):
        shutil.copy(tmp_path / "cases/perses-small" / name, tmp_path)
    for line in [*commands.splitlines(), "program.py"]:
        words = line.split()
        if words[:2] == ["nubbin-bench", "pages"]:
            continue
        if words[:2] == ["nubbin-bench", "run"]:
            words += ["--jobs", "1", "--cache", str(tmp_path / "cache")]
        call = ["-m", words[0].replace("-", "_"), *words[1:]] if "." not in words[0] else words
        subprocess.run([sys.executable, *call], cwd=tmp_path, check=True, timeout=PATIENCE_S)

    for name in ("input.reduced.c", "levels.c"):
        text = (tmp_path / name).read_text()
        assert "f17" in text
        assert "f3" in text
    assert (
        len((tmp_path / "input.reduced.c").read_text())
        < len((tmp_path / "levels.c").read_text())
        < 99
    )

    rows = Record.load(tmp_path / "study/raw/runs.csv").rows.values()
    assert all(row.checked and row.end == "fixpoint" for row in rows)
    assert {len(row.source) for row in rows if row.algorithm == NAME} == {64}
    assert {row.source for row in rows if row.algorithm != NAME} == {""}
    results = Results.of(rows, "hdd")
    assert results.algorithms == ["ddmin", NAME]
    for shown in (
        tables.means(results, "queries"),
        tables.kinds(results, "programs"),
    ):
        assert NAME in shown
    figures.draw_kinds(results, results.algorithms, tmp_path / "kinds.svg")
    assert f">{NAME}<" in (tmp_path / "kinds.svg").read_text()
