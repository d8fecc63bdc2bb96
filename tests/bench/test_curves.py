"""How the size falls: in a row, in a log, and as a curve over many runs."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin_bench.cases import Case, write_case
from nubbin_bench.curves import curve, curves, cut, draw_curves, runs_of
from nubbin_bench.halvings import halvings, points
from nubbin_bench.query_log import filled
from nubbin_bench.record import Record
from nubbin_bench.results import Results
from nubbin_bench.rows import Job, Row
from nubbin_bench.runs import run
from nubbin_core.search.algorithm import Algorithm

VERDICTS = st.sampled_from(["interesting", "uninteresting", "unresolved"])
HEADLINES = ("ddmin", "auto")


def row(**values: Any) -> Row:
    empty: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    empty |= {"suite": "paper-c", "framework": "hdd", "p0": 0.1, "end": "fixpoint", "date": ""}
    return Row(**empty | {"halvings": "0:0.00"} | values)


@given(st.integers(1, 99), st.lists(st.tuples(st.integers(0, 99), VERDICTS, st.floats(0, 9))))
def test_each_point_is_the_first_query_after_which_so_little_was_left(
    before: int, queries: list[tuple[int, str, float]]
) -> None:
    found = points(row(halvings=halvings(before, queries)))
    assert found[0] == (0, 0)
    left = [before, *(size if said == "interesting" else before for size, said, _ in queries)]
    best = [*accumulate(left, min)]
    passed = [0.0, *accumulate(seconds for _, _, seconds in queries)]
    for at, (number, seconds) in enumerate(found[1:], 1):
        assert best[number] <= before / 2**at < best[number - 1]
        assert seconds == pytest.approx(passed[number], abs=0.006)
    after = before / 2 ** len(found)
    assert best[-1] > after or after < 1


def test_a_curve_has_medians_and_ends_when_half_of_the_runs_do() -> None:
    runs = [
        row(halvings="0:0.00 1:0.10 5:0.50 9:0.90"),
        row(halvings="0:0.00 3:0.30 7:0.70"),
        row(halvings="0:0.00 8:0.80", end="max-time"),
    ]
    assert curve(runs, 0) == [3, 7]
    assert curve(runs, 1) == [0.3, 0.7]
    assert curve(runs[1:], 0) == [5.5]
    assert curve([], 0) == []
    assert cut(runs) == 1


def test_curves_are_of_what_all_have_been_run_on() -> None:
    rows = [row(case=case, algorithm=name) for case in "ab" for name in HEADLINES]
    rows[0] = replace(rows[0], halvings="")
    rows += [replace(rows[2], seed=1), row(case="c", algorithm="auto")]
    found = runs_of(Results.of(rows, "hdd"), HEADLINES)
    assert {name: [each.case for each in runs] for name, runs in found.items()} == {
        "ddmin": ["b"],
        "auto": ["b"],
    }
    assert runs_of(Results.of(rows, "hdd"), ("ddmin", "auto", "cdd")) == {}


@pytest.mark.nightly
def test_cut_runs_are_counted_in_the_figure_and_nothing_is_drawn_of_nothing(
    tmp_path: Path,
) -> None:
    rows = [
        row(case="a", algorithm=name, end=end, halvings="0:0.00 3:0.30", framework=framework)
        for name, end in (("ddmin", "max-time"), ("auto", "fixpoint"))
        for framework in ("hdd", "picireny")
    ]
    draw_curves(rows, "paper-c", HEADLINES, tmp_path)
    text = (tmp_path / "curves-paper-c.svg").read_text()
    for word in ("ddmin, 1 of 1 cut", ">auto<", ">hdd<", ">picireny<", ">queries<", ">seconds<"):
        assert word in text
    assert "(1 in `hdd`, 1 in `picireny`)" in curves(rows, "paper-c", HEADLINES)
    draw_curves(rows, "paper-xml", HEADLINES, tmp_path)
    assert curves(rows, "paper-xml", HEADLINES) == ""
    assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.parametrize(("halvings", "drawn"), [("0:0.00", False), ("0:0.00 1:0.00", True)])
def test_runs_that_came_nowhere_or_took_no_time_have_a_page(
    tmp_path: Path, halvings: str, drawn: bool
) -> None:
    rows = [row(case="one", algorithm=name, halvings=halvings) for name in HEADLINES]
    draw_curves(rows, "paper-c", HEADLINES, tmp_path)
    assert bool(curves(rows, "paper-c", HEADLINES)) == drawn
    assert len([*tmp_path.iterdir()]) == drawn


def test_a_row_tells_how_the_size_fell_and_a_log_does_for_older_rows(tmp_path: Path) -> None:
    text = "".join(f"line {n}\n" for n in range(40))
    test = "#!/bin/sh\ngrep -q 'line 7' input.txt\n"
    case = write_case(tmp_path / "case", "input.txt", text, test)
    named = Algorithm.named("ddmin")
    job = Job("others", Case.load(case.input.parent), "lines", named, 0, 0.1, 999, 600, 60)
    new = run(job, tmp_path / "cache", tmp_path / "raw/queries")
    numbers = [queries for queries, _ in points(new)]
    assert len(numbers) == 1 + 5  # of 270 bytes, 7 are left
    assert numbers == sorted(numbers)
    assert 0 < points(new)[-1][1] <= new.seconds + 0.01

    old = Record(tmp_path / "raw/runs.csv", {new.key: replace(new, halvings="")})
    assert filled(old).rows == {new.key: new}
    into = Record.load(tmp_path / "all/runs.csv")
    assert into.merge([old]) == []
    assert into.merge([filled(old)]) == []
    assert into.merge([old]) == []
    assert Record.load(into.path).rows == {new.key: new}

    other = Record(old.path, {new.key: replace(new, halvings="", date="2001-01-01T00:00Z")})
    assert filled(other).rows == other.rows
    nowhere = Record(tmp_path / "elsewhere/runs.csv", old.rows)
    assert filled(nowhere).rows == old.rows
