"""The record of limits/compared: every algorithm from both ends, and nothing measured twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.experiment import RECORD
from limits import costs
from limits.compared import ABLATIONS, TABLES, table_of
from limits.costs import LEFT_OUT, MAX_ELEMENTS, NAMES, Cell, Costs, cost
from nubbin_bench.lists import placed
from nubbin_bench.studied import STUDIED
from nubbin_core.minimizers import ALGORITHMS, Minimizer, Settings, Subset


def a_cell(n: int) -> Cell:
    return Cell(f"block of {n}", placed(n, 1, 3), n, 2)


def test_a_cost_in_the_file_is_not_measured_again(tmp_path: Path) -> None:
    started = 0

    def start(kept: Subset, settings: Settings) -> Minimizer:
        nonlocal started
        started += 1
        return ALGORITHMS["adaptive"](kept, settings)

    path = tmp_path / "costs.csv"
    first = Costs(path).of(a_cell(9), "adaptive", start)
    assert started == first.seeds == 2
    assert Costs(path).of(a_cell(9), "adaptive", start) == first
    assert started == 2
    again = Costs(path, again=["adaptive"])
    assert [again.of(a_cell(9), "adaptive", start) for _ in range(2)] == [first, first]
    assert started == 4


def test_measuring_some_cells_again_keeps_the_others_in_the_file(tmp_path: Path) -> None:
    path, start = tmp_path / "costs.csv", ALGORITHMS["adaptive"]
    for n in (9, 12):
        Costs(path).of(a_cell(n), "adaptive", start)
    before = path.read_text(encoding="utf-8")
    Costs(path, again=["adaptive"]).of(a_cell(9), "adaptive", start)
    assert path.read_text(encoding="utf-8") == before


def test_the_others_go_from_both_ends_and_the_cheapest_is_first() -> None:
    others = Costs(None).of_others(a_cell(12))
    assert sorted(each.algorithm for each in others) == sorted(
        sign + name for name in NAMES for sign in ("", "-")
    )
    assert [each.queries for each in others] == sorted(each.queries for each in others)
    assert {each.left for each in others} == {2}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_of_the_page_has_every_algorithm(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails here is new or has changed: run limits/compared, and put its tables into the page.

    Nothing is measured, so each algorithm must be in the record of each problem, from both ends.
    """

    def cost(start: object, n: int, interesting: object) -> tuple[int, int]:
        raise AssertionError(f"record/limits.csv lacks a cost of {start} on {n} elements")

    monkeypatch.setattr(costs, "cost", cost)
    table = table_of(name, Costs(RECORD / "limits.csv"), short=False)
    assert str(table) in (RECORD / "limits.md").read_text(encoding="utf-8")


def test_the_page_names_every_algorithm() -> None:
    beginning = (RECORD / "limits.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert {name for name in STUDIED if f"`{name}`" in beginning} == STUDIED.keys()
    assert STUDIED.keys() == {*NAMES, *LEFT_OUT}


def test_slow_algorithms_are_left_out_of_long_lists() -> None:
    n = MAX_ELEMENTS["greedy"] + 1
    named = {each.algorithm.removeprefix("-") for each in Costs(None).of_others(a_cell(n))}
    assert named == set(NAMES) - {"greedy"}


@pytest.mark.parametrize("name", ABLATIONS)
def test_auto_without_a_part_still_ends_with_what_is_essential(name: str) -> None:
    _, interesting = placed(40, 1, 3)(np.random.default_rng(0))
    asked, left = cost(ABLATIONS[name], 40, interesting)
    assert left == 2
    assert asked >= 2
