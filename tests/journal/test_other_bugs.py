"""Other failures are kept, one of a kind, the smallest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.journal.other_bugs import OtherBugs, bug_signature


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (b"x.c:12: error: no member 'foo' in 'bar'", b"/tmp/1/x.c:7: error: no member 'a' in 'b'"),
        (b"start\nAssertion failed at 0x7f00\nend 1", b"Assertion failed at 0x8\nend of it"),
        (b"Segmentation fault (core dumped)\n", b"noise\nSegmentation fault (core dumped)"),
        (b"done 1\n\n", b"more\ndone 17"),
        (b"", b"\n"),
    ],
)
def test_one_kind(one: bytes, same: bytes) -> None:
    assert bug_signature(one) == bug_signature(same)


def test_kinds_differ() -> None:
    said = [b"error: in fold", b"error: in gimplify", b"Segmentation fault", b"ok", b""]
    assert len({bug_signature(each) for each in said}) == len(said)


def test_the_smallest_of_each_kind_is_kept(tmp_path: Path) -> None:
    others = OtherBugs(tmp_path / "other")
    others.keep({"dir/x.c": b"long", "dir/y.c": b"1"}, b"error: one")
    others.keep({"x.c": b"longest"}, b"error: one")
    others.keep({"x.c": b"2"}, b"error: two")
    others.keep({"dir/x.c": b"s"}, b"error: one")
    assert len(others) == 2
    kept = {
        place.joinpath("output.txt").read_text(): sorted(
            (path.name, path.read_bytes()) for path in place.rglob("input/**/*") if path.is_file()
        )
        for place in (tmp_path / "other").iterdir()
    }
    assert kept == {"error: one": [("x.c", b"s")], "error: two": [("x.c", b"2")]}
    again = OtherBugs(tmp_path / "other")
    again.keep({"x.c": b"longer"}, b"error: two")
    assert len(again) == 2
    assert (tmp_path / "other").rglob("x.c")


def test_nothing_is_written_through_what_somebody_put_there(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    OtherBugs(folder).keep({"x.c": b"long"}, b"error: one")
    (place,) = folder.iterdir()
    (place / "input/x.c").unlink()
    (place / "input/x.c").symlink_to(tmp_path / "mine")
    (tmp_path / "mine").write_bytes(b"mine and longer")
    (place / "output.txt").unlink()
    os.mkfifo(place / "output.txt")  # whoever opens it waits
    OtherBugs(folder).keep({"x.c": b"s"}, b"error: one")
    assert (tmp_path / "mine").read_bytes() == b"mine and longer"
    assert (place / "input/x.c").read_bytes() == b"s"
    assert (place / "output.txt").read_bytes() == b"error: one"


def test_half_a_candidate_of_a_killed_run_counts_for_nothing(tmp_path: Path) -> None:
    half = tmp_path / "other/.new"
    half.mkdir(parents=True)
    (half / "output.txt").write_text("half")
    others = OtherBugs(tmp_path / "other")
    assert len(others) == 0
    others.keep({"x.c": b"1"}, b"error: one")
    assert [path.name for path in (tmp_path / "other").rglob("*.c")] == ["x.c"]


def test_there_is_an_end_to_it(tmp_path: Path) -> None:
    others = OtherBugs(tmp_path / "other")
    for number in range(200):
        others.keep({"x": b""}, b"error " + bytes([97 + number // 26, 97 + number % 26]))
    assert len(others) == 100 == len(list((tmp_path / "other").iterdir()))
