"""1-minimality is compared like with like, and the sentence says what the rows say."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from nubbin_bench.family import Family
from nubbin_bench.looseness import against_published, last_laps, looseness
from nubbin_bench.results import Results
from nubbin_bench.rows import Row


def results(suite: str, loose: int, lists: int = 1_000, last: int = 0) -> Results:
    values: dict[str, Any] = {field.name: 0 for field in fields(Row)}
    values |= {"suite": suite, "framework": "hdd", "end": "fixpoint", "p0": 0.1, "case": "a"}
    values |= {"lists": lists, "loose": loose, "removable": 3 * loose, "loose_last": last}
    return Results.of([Row(**values | {"algorithm": "probdd"})], "hdd")


def test_more_fewer_and_no_difference() -> None:
    assert "significantly more here" in against_published(results("programs", 40), Family())
    assert "significantly fewer here" in against_published(results("programs", 0), Family())
    assert "no difference is shown" in against_published(results("programs", 11), Family())


def test_only_c_programs_are_compared_with_c_programs() -> None:
    assert "to compare" in against_published(results("others", 40), Family())


def test_each_suite_has_a_row_and_there_is_none_for_all() -> None:
    _, _, row = looseness(results("programs", 40)).splitlines()
    assert row == "| probdd, programs | 1,000 | 40 | 4.0% | 3.0 | 0 |"


def test_the_last_lap() -> None:
    assert last_laps(results("programs", 4)).endswith("none of probdd.")
    assert last_laps(results("programs", 4, last=2)).endswith("some of probdd (2).")
