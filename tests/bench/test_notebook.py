"""The notebook: its cells run one after the other, as in Jupyter, on the record that is there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.experiment import RECORD
from nubbin_bench.csv_rows import save
from nubbin_bench.record import Record
from nubbin_bench.rows import Row

NOTEBOOK = RECORD / "evaluation/study.ipynb"


def code_cells() -> list[dict[str, Any]]:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_every_cell_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - half a second for each process that collects tests

    rows = Record.load(RECORD / "evaluation/raw/artifact.csv").rows.values()
    # Older rows do not tell how the size fell.
    told = [replace(row, halvings=row.halvings or "0:0.00 3:0.30 9:0.90") for row in rows]
    save(tmp_path / "raw/artifact.csv", Row, told)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(mpl.rcParams, "backend", "agg")
    names: dict[str, Any] = {}
    printed = []
    for cell in code_cells():
        exec("".join(cell["source"]), names)
        printed.append(capsys.readouterr().out)
    about, ratio, _, cases = printed
    assert " runs of ddmin, " in about
    assert ratio.count("auto / cdd, ") == 3
    assert "interval (" in ratio
    assert [len(panel.lines) for panel in names["panels"]] == [2, 2]
    names["plt"].close("all")
    assert cases.startswith("| ")
    assert "clang-" in cases


def test_nothing_that_changes_is_committed() -> None:
    for cell in code_cells():
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
