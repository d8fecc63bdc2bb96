"""Different failures are kept, one of a kind, the smallest."""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.journal.run_facts import DifferentFailures, different_failures_in
from nubbin.oracles.failures.conditions import Ended


def test_the_smallest_of_each_kind_is_kept(tmp_path: Path) -> None:
    others = DifferentFailures(tmp_path / "other")
    others.keep({"dir/x.c": b"long", "dir/y.c": b"1"}, Ended(1, b"error: one"))
    others.keep({"x.c": b"longest"}, Ended(1, b"error: one"))
    others.keep({"x.c": b"2"}, Ended(1, b"error: two"))
    others.keep({"dir/x.c": b"s"}, Ended(1, b"error: one"))
    assert len(others) == 2
    assert {each.line for each in different_failures_in(tmp_path)} == {"error: one", "error: two"}
    kept = {
        place.joinpath("output.txt").read_text(): sorted(
            (path.name, path.read_bytes()) for path in place.rglob("input/**/*") if path.is_file()
        )
        for place in (tmp_path / "other").iterdir()
    }
    assert kept == {"error: one": [("x.c", b"s")], "error: two": [("x.c", b"2")]}
    again = DifferentFailures(tmp_path / "other")
    again.keep({"x.c": b"longer"}, Ended(1, b"error: two"))
    assert len(again) == 2
    assert (tmp_path / "other").rglob("x.c")


def test_nothing_is_written_through_what_somebody_put_there(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    DifferentFailures(folder).keep({"x.c": b"long"}, Ended(1, b"error: one"))
    (place,) = folder.iterdir()
    (place / "input/x.c").unlink()
    (place / "input/x.c").symlink_to(tmp_path / "mine")
    (tmp_path / "mine").write_bytes(b"mine and longer")
    (place / "output.txt").unlink()
    os.mkfifo(place / "output.txt")  # whoever opens it waits
    DifferentFailures(folder).keep({"x.c": b"s"}, Ended(1, b"error: one"))
    assert (tmp_path / "mine").read_bytes() == b"mine and longer"
    assert (place / "input/x.c").read_bytes() == b"s"
    assert (place / "output.txt").read_bytes() == b"error: one"


def test_half_a_candidate_of_a_killed_run_counts_for_nothing(tmp_path: Path) -> None:
    half = tmp_path / "other/.new"
    half.mkdir(parents=True)
    (half / "output.txt").write_text("half")
    others = DifferentFailures(tmp_path / "other")
    assert len(others) == 0
    others.keep({"x.c": b"1"}, Ended(1, b"error: one"))
    assert [path.name for path in (tmp_path / "other").rglob("*.c")] == ["x.c"]


def test_there_is_an_end_to_it(tmp_path: Path) -> None:
    others = DifferentFailures(tmp_path / "other")
    for number in range(200):
        said = b"error " + bytes([97 + number // 26, 97 + number % 26])
        others.keep({"x": b""}, Ended(1, said))
    assert len(others) == 100 == len(list((tmp_path / "other").iterdir()))
