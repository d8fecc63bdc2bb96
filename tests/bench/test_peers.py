"""bench/peers.py: the wrapper counts, the curve follows, and nothing outlives a run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import peer_runs
from cases import Case, write_case
from peer_records import Record, thinned
from peer_tools import TOOLS, arguments, find
from supervise import descendants, supervise


def a_case(folder: Path) -> Case:
    data = "".join(f"{n}\n" for n in range(200))
    return write_case(folder, "numbers.txt", data, "#!/bin/sh\ngrep -qx 17 numbers.txt\n")


def test_a_run_is_counted_checked_and_recorded(tmp_path: Path) -> None:
    program = find("nubbin", [])
    assert program is not None
    row, curve = peer_runs.run(a_case(tmp_path / "case"), "nubbin", program, 120)
    assert (row.end, row.checked, row.tokens) == ("done", True, 1)
    assert row.bytes <= 3
    assert 0 < row.ninety <= row.queries
    assert curve[-1][1] == row.bytes
    assert curve[-1][0] <= row.queries
    record = Record.load(tmp_path / "record")
    record.add(row, curve)
    again = Record.load(tmp_path / "record")
    assert again.rows == {("case", "nubbin"): row}
    assert again.curves == {("case", "nubbin"): thinned(curve)}


def test_a_reducer_that_does_nothing_leaves_the_input(tmp_path: Path) -> None:
    row, curve = peer_runs.run(a_case(tmp_path / "case"), "lithium", ["/bin/false"], 60)
    assert (row.end, row.queries, curve) == ("status 1", 0, [])
    assert row.bytes == row.bytes_before
    assert row.checked


def test_no_process_outlives_its_time(tmp_path: Path) -> None:
    before = descendants(os.getpid())
    script = "setsid sleep 1000 & (trap '' TERM; sleep 1000) & echo ready; wait"
    end, _, cpu = supervise(["/bin/sh", "-c", script], tmp_path, dict(os.environ), 0.5)
    assert end == "time"
    assert cpu >= 0
    assert descendants(os.getpid()) == before


def test_a_command_that_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    before = descendants(os.getpid())
    line = ["/bin/sh", "-c", "sleep 1000 & exit 3"]
    end, _, _ = supervise(line, tmp_path, dict(os.environ), 60)
    assert end == "status 3"
    assert descendants(os.getpid()) == before


def test_only_large_steps_and_the_last_are_kept() -> None:
    curve = [(1, 1000), (2, 990), (5, 900), (7, 899), (9, 898)]
    assert thinned(curve) == [(1, 1000), (5, 900), (9, 898)]


def test_peers_are_told_when_the_input_is_not_c(tmp_path: Path) -> None:
    wrapper = tmp_path / "test.sh"
    for tool in TOOLS:
        on_c = arguments(tool, wrapper, tmp_path / "a.c")
        on_json = arguments(tool, wrapper, tmp_path / "a.json")
        assert ("--not-c" in on_json) == (tool in {"cvise", "creduce"})
        assert "--not-c" not in on_c
    assert sys.executable == (find("nubbin", []) or [""])[0]
