"""Figures of the evaluation, from rows that were made up."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_bench.critical_difference import alike, critical_difference, draw_ranks, mean_ranks
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


def test_ranks_are_over_what_all_finished_and_ties_are_shared() -> None:
    assert mean_ranks(MADE_UP, "xml", "queries") == {
        "auto": pytest.approx(4 / 3),
        "cdd": pytest.approx(5 / 3),
        "ddmin": 3,
    }


def test_the_critical_difference_is_that_of_the_table() -> None:
    """Demšar (2006), table 5: q is 2.343 for three classifiers, 3.164 for ten."""
    assert critical_difference(3, 2) == pytest.approx(2.343, abs=0.001)
    assert critical_difference(10, 30) == pytest.approx(3.164 * (110 / 180) ** 0.5, abs=0.001)


@given(ranks=st.lists(st.floats(1, 9), min_size=1, max_size=9).map(sorted), gap=st.floats(0.1, 9))
def test_two_are_joined_exactly_if_they_are_close(ranks: list[float], gap: float) -> None:
    joined = alike(ranks, gap)
    for low in range(len(ranks)):
        for high in range(low + 1, len(ranks)):
            close = ranks[high] - ranks[low] < gap
            assert close == any(first <= low and high <= last for first, last in joined)


def test_figures_name_every_algorithm_and_are_the_same_each_time(tmp_path: Path) -> None:
    many = results({"ddmin": [*range(20, 28)], "cdd": [*range(10, 18)], "auto": [*range(1, 9)]})
    for name in ("one", "other"):
        draw_survival(many, tmp_path / f"{name}-survival.svg")
        draw_ranks(many, "queries", tmp_path / f"{name}-ranks.svg")
    for kind in ("survival", "ranks"):
        one, other = ((tmp_path / f"{name}-{kind}.svg").read_text() for name in ("one", "other"))
        assert one == other
        assert all(name in one for name in many.algorithms)


def test_an_empty_record_has_empty_figures(tmp_path: Path) -> None:
    draw_survival(Results.of([], "hdd"), tmp_path / "survival.svg")
    draw_ranks(Results.of([], "hdd"), "queries", tmp_path / "ranks.svg")
    assert (tmp_path / "survival.svg").exists()
    assert (tmp_path / "ranks.svg").exists()
