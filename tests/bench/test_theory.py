"""The simulations of `nubbin-bench` are what its pages say."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin_bench import pages, theory
from nubbin_bench.commands import pages_command
from nubbin_bench.family import Family
from nubbin_bench.lists import holding
from nubbin_bench.probability import probability
from nubbin_bench.record import Record
from nubbin_bench.results import Results
from nubbin_bench.rows import Row
from nubbin_bench.simulations import simulations
from nubbin_bench.templates import PLACE
from nubbin_core.minimizers import Subset


@given(data=st.data())
@examples(50)
def test_clusters_are_as_many_and_as_large_as_asked_for(data: st.DataObject) -> None:
    m = data.draw(st.integers(1, 30))
    c = data.draw(st.integers(1, m))
    n = data.draw(st.integers(m + c, 100))
    interesting = theory.clusters(n, m, c, data.draw(st.integers(0, 99)))
    full = Subset.full(n)
    essential = Subset.of(i for i in range(n) if not interesting(full.without(i, i + 1)))
    assert interesting(essential)
    assert (len(essential), len(essential.runs)) == (m, c)


def test_the_articles_ddmin_halves_down_to_a_single_element() -> None:
    assert theory.article_ddmin(64, holding(64, [0])) == 3 * 6
    assert theory.article_ddmin(64, holding(64, range(64))) == 2 + 4 + 8 + 16 + 32 + 64


@pytest.mark.nightly
def test_a_list_that_sizes_divide_has_one_probability_a_round() -> None:
    rows = probability(3600, 0.1).splitlines()[2:]
    assert len(rows) == 5
    for row in rows:
        low, high = re.findall(r"([\d.]+) to ([\d.]+)", row)[0]
        assert low == high


@pytest.mark.parametrize("template", sorted(pages.TEMPLATES.glob("*.md.in")))
def test_every_place_in_a_page_can_be_filled(template: Path, tmp_path: Path) -> None:
    record = Record.load(tmp_path / "none.csv")
    parts = {
        **simulations(),
        **pages.parts_of(record, Results.of([], "hdd"), Family()),
        **pages.parts_of_artifact(record, [], Family()),
        **pages.parts_of_ablations(record, Family()),
    }
    text = template.read_text(encoding="utf-8")
    assert {place[1] for place in PLACE.finditer(text)} <= set(parts)
    assert "@" not in PLACE.sub("", text)


def test_pages_of_no_record_are_refused(tmp_path: Path) -> None:
    said = CliRunner().invoke(pages_command, ["--docs", str(tmp_path)])
    assert said.exit_code == 2
    assert "There are no runs in" in said.output
    assert not list(tmp_path.iterdir())


def test_a_suite_of_the_paper_has_its_page_without_other_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes_of_simulation = dict.fromkeys(simulations(), lambda *_: "")
    monkeypatch.setattr(pages, "simulations", lambda: minutes_of_simulation)
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "paper-c", "case": "clang-22382", "framework": "picireny", "p0": 0.1}
    artifact = Record.load(tmp_path / "artifact.csv")
    artifact.add(Row(**values | {"algorithm": "cdd", "queries": 138, "end": "fixpoint"}))
    none = Record.load(tmp_path / "none.csv")
    pages.write_pages(none, artifact, none, tmp_path)
    written = {path.name for path in tmp_path.glob("*.md")}
    assert {"README.md", "paper-c.md"} <= written
    assert not {"paper-xml.md", "paper-debloating.md", "your-cases.md"} & written
    assert "5,262 / 138" in (tmp_path / "paper-c.md").read_text()
