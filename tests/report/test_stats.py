from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nubbin.reduction.events import Event, Started
from nubbin.reduction.run_job import Reduction
from nubbin.report.json_lines import stats, write_stats
from nubbin.report.progress import Progress

DOCS = Path(__file__).parents[2] / "docs/agents.md"


def test_a_run_in_figures(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None], result: Reduction
) -> None:
    feed(run, progress)
    told = stats(progress, result)
    version = told.pop("version")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", version)
    assert told == {
        "schema": 1,
        "input": "fleet.toml",
        "output": "fleet.reduced.toml",
        "algorithm": "cdd",
        "jobs": 2,
        "seed": 7,
        "reason": "fixpoint",
        "minimal": True,
        "flaky": False,
        "reproduced": {"yes": 1, "runs": 1},
        "words": None,
        "others": 0,
        "seconds": 10.0,
        "test_seconds": 2.75,
        "queries": 4,
        "runs": 9,
        "verdicts": {"interesting": 2, "uninteresting": 1, "unresolved": 1},
        "by_kind": {
            "probe": {"asked": 3, "succeeded": 2},
            "proof": {"asked": 1, "succeeded": 0},
        },
        "before": {"bytes": 48_213, "lines": 1_204, "tokens": 9_120},
        "after": {"bytes": 31, "lines": 3, "tokens": 9},
        "history": [
            {"seconds": 1.0, "queries": 0, "bytes": 48_213, "lines": 1_204, "tokens": 9_120},
            {"seconds": 4.0, "queries": 1, "bytes": 24_000, "lines": 600, "tokens": 4_500},
            {"seconds": 9.0, "queries": 4, "bytes": 31, "lines": 3, "tokens": 9},
        ],
    }


def test_names_that_are_no_utf_8(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None], result: Reduction
) -> None:
    assert isinstance(run[0], Started)
    feed([replace(run[0], name="f\udcff.c"), *run[1:]], progress)
    told = json.dumps(stats(progress, replace(result, output=Path("/d\udcfe/f"))))
    assert (json.loads(told)["input"], json.loads(told)["output"]) == ("f\\xff.c", "/d\\xfe/f")


def test_every_key_is_documented(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None], result: Reduction
) -> None:
    feed(run, progress)
    figures = DOCS.read_text(encoding="utf-8").split("\n## Figures\n")[1]
    documented = set(re.findall(r"^\| `(\w+)` \|", figures, re.MULTILINE))
    assert documented == set(stats(progress, result))


def test_the_file_is_whole_or_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "stats.json"
    write_stats(path, {"queries": 4})
    with pytest.raises(TypeError):
        write_stats(path, {"queries": object()})
    assert json.loads(path.read_text()) == {"queries": 4}
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_stats(pipe, {"queries": 4})
        assert json.loads(os.read(reader, 1000)) == {"queries": 4}
        assert pipe.is_fifo()
    finally:
        os.close(reader)
