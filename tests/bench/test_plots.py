"""Figures of the evaluation, from rows that were made up."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from nubbin_bench.results import Results
from nubbin_bench.rows import Row
from nubbin_bench.survival import draw_survival, survival


def results(figures: dict[str, list[int | None]]) -> Results:
    """The queries of each algorithm, case by case; None for a run that came to its limit."""
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": "xml", "framework": "hdd", "p0": 0.0025}
    rows = [
        Row(
            **values
            | {"case": f"{at}", "algorithm": name, "queries": count or 9_999}
            | {"end": "fixpoint" if count else "max-queries"}
        )
        for name, counts in figures.items()
        for at, count in enumerate(counts)
    ]
    return Results.of(rows, "hdd")


MADE_UP = results({"ddmin": [40, 30, None, 10], "cdd": [4, 3, 2, 1], "auto": [4, 2, 1, 1]})


def test_what_was_not_finished_survives() -> None:
    queries, shares = survival(MADE_UP, "xml", "cdd")
    assert queries == pytest.approx([1, 1, 2, 3, 4])
    assert shares == [1, 0.75, 0.5, 0.25, 0]
    queries, shares = survival(MADE_UP, "xml", "ddmin")
    assert queries == pytest.approx([1, 10, 30, 40])
    assert shares == [1, 0.75, 0.5, 0.25]


def test_figures_name_every_algorithm_and_are_the_same_each_time(tmp_path: Path) -> None:
    many = results({"ddmin": [*range(20, 28)], "cdd": [*range(10, 18)], "auto": [*range(1, 9)]})
    for name in ("one", "other"):
        draw_survival(many, tmp_path / f"{name}-survival.svg")
    one, other = ((tmp_path / f"{name}-survival.svg").read_text() for name in ("one", "other"))
    assert one == other
    assert all(name in one for name in many.algorithms)


def test_an_empty_record_has_empty_figures(tmp_path: Path) -> None:
    draw_survival(Results.of([], "hdd"), tmp_path / "survival.svg")
    assert (tmp_path / "survival.svg").exists()
