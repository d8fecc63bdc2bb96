"""peers/compare: the wrapper counts, the curve follows, and nothing outlives a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.experiment import RECORD
from harness.processes import descendants, supervise
from nubbin_bench.cases import Case, write_case
from nubbin_bench.csv_rows import save
from peers.equal_queries import at_marks, rows
from peers.means import judged, to_the_same_size, verdicts
from peers.records import Input, Record, thinned
from peers.runs import Row, run
from peers.tools import DOMAIN_TOOLS, TOOLS, UNKNOWN, arguments, find, version


def a_case(folder: Path) -> Case:
    data = "".join(f"{n}\n" for n in range(200))
    return write_case(folder, "numbers.txt", data, "#!/bin/sh\ngrep -qx 17 numbers.txt\n")


@pytest.mark.nightly
def test_a_run_is_counted_checked_and_recorded(tmp_path: Path) -> None:
    program = find("nubbin", [])
    assert program is not None
    row, curve = run(a_case(tmp_path / "case"), "nubbin", program, 120)
    assert (row.end, row.checked, row.tokens) == ("done", True, 1)
    assert row.bytes <= 3
    assert 0 < row.ninety <= row.queries
    assert curve[-1][1] == row.bytes
    assert curve[-1][0] <= row.queries
    record = Record.load(tmp_path / "record")
    record.add(row, thinned(curve))
    again = Record.load(tmp_path / "record")
    assert again.rows == {("case", "nubbin"): row}
    assert again.curves == {("case", "nubbin"): thinned(curve)}


def test_a_reducer_that_does_nothing_leaves_the_input(tmp_path: Path) -> None:
    row, curve = run(a_case(tmp_path / "case"), "lithium", ["/bin/false"], 60)
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


def test_a_process_whose_name_is_no_text_is_found(tmp_path: Path) -> None:
    program = tmp_path / os.fsdecode(b"\xfe\xff")
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen([program, "1000"]) as process:
        try:
            assert process.pid in descendants(os.getpid())
        finally:
            process.kill()


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


@pytest.mark.parametrize("tool", sorted({*DOMAIN_TOOLS} - {*TOOLS}))
def test_a_candidate_of_any_name_is_tested_under_that_of_the_input(
    tool: str, tmp_path: Path
) -> None:
    wrapper, copy = tmp_path / "test.sh", tmp_path / "input.txt"
    wrapper.write_text("#!/bin/sh\ngrep -q BUG input.txt\n")
    wrapper.chmod(0o755)
    is_inverted = tool == "mlir-reduce"
    adapter = tmp_path / ("inverted.sh" if is_inverted else "adapter.sh")
    assert any(str(adapter) in each for each in arguments(tool, wrapper, copy))
    for text, is_interesting in ("a BUG", True), ("a", False):
        (tmp_path / "candidate").write_text(text)
        status = subprocess.run([adapter, tmp_path / "candidate"], check=False).returncode
        assert (status == 0) == (is_interesting != is_inverted)


#: Inputs, and since when they are known.
KNOWN = {"old": "first", "young": "never"}


def a_row(case: str, tool: str, tokens: int, queries: int) -> Row:
    return Row(
        case=case,
        format="text",
        tool=tool,
        version="1.0",
        limit=600,
        bytes_before=900,
        tokens_before=300,
        bytes=tokens,
        tokens=tokens,
        queries=queries,
        ninety=1,
        seconds=1,
        cpu=1,
        end="done",
        checked=True,
    )


def test_goals_are_judged_by_the_rows(tmp_path: Path) -> None:
    inputs = [Input(name, "a tool", "a fault", seen) for name, seen in KNOWN.items()]
    save(tmp_path / "inputs.csv", Input, inputs)
    record = Record.load(tmp_path)
    for row in [
        a_row("old", "nubbin", 30, 100),
        a_row("old", "shrinkray", 20, 200),
        a_row("young", "nubbin", 10, 10),
        a_row("young", "shrinkray", 40, 1000),
    ]:
        record.add(row, [])
    page = str(verdicts(record))
    few = "0.612, too few inputs | 0.250, too few inputs"
    assert f"| tokens, of Shrink Ray's | at most 0.400 | {few} |" in page
    assert "| none | 1 of 2, missed | 0 of 1, met |" in page


@pytest.mark.parametrize(
    ("queries", "verdict"),
    [
        ((5, 5, 5, 5, 5, 5), "0.050 [0.05, 0.05], met"),
        ((1, 1, 1, 100, 100, 100), "not shown"),
        ((50, 50, 50, 50, 50, 60), "missed"),
    ],
)
def test_a_goal_is_met_if_the_whole_interval_keeps_it(
    queries: tuple[int, ...], verdict: str
) -> None:
    both = [
        (a_row(f"{at}", "nubbin", 1, ours), a_row(f"{at}", "shrinkray", 1, 100))
        for at, ours in enumerate(queries)
    ]
    assert verdict in judged(both, "queries", 0.1)


def test_queries_are_compared_at_the_larger_result(tmp_path: Path) -> None:
    record = Record.load(tmp_path)
    for case, tokens in [("a", 30), ("b", 30), ("c", 3000)]:
        record.add(a_row(case, "nubbin", 30, 10), [(1, 900), (10, 30)])
        record.add(a_row(case, "shrinkray", tokens, 100), [(1, 900), (20, 30), (100, tokens)])
    assert to_the_same_size(record, "shrinkray") == "Shrink Ray 0.630, n 3"


def test_every_recorded_input_is_described() -> None:
    record = Record.load(RECORD / "peers")
    assert set(record.cases) <= record.inputs.keys()


def test_a_version_is_what_a_reducer_prints_or_unknown(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho tool, version 2.7.0 of 2022\n")
    tool.chmod(0o755)
    assert version("cvise", [str(tool)]) == "2.7.0"
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert version("lithium", [str(tool)]) == UNKNOWN


def test_a_row_has_what_was_left_after_as_many_queries(tmp_path: Path) -> None:
    record = Record.load(tmp_path)
    curve = [(1, 900), (29, 500), (31, 400), (200, 300), (250, 299), (251, 1)]
    ours = replace(a_row("a", "nubbin", 9, 251), bytes=1, end="time")
    record.add(ours, at_marks(curve))
    stopped = replace(a_row("a", "cvise", 9, 40), bytes=450, end="time", seconds=60)
    record.add(stopped, at_marks([(1, 900), (40, 450)]))
    record.add(replace(a_row("a", "shrinkray", 9, 70), bytes=800), at_marks([(3, 800)]))
    assert rows(record) == [
        ["a", 900, "nubbin 1.0", "500", "400", "400", "299", ""],
        ["", "", "Shrink Ray 1.0", *4 * ["800"], "by itself, 70 queries: 800"],
        ["", "", "C-Vise 1.0", "900", "", "", "", "after 60 s, 40 queries: 450"],
    ]
