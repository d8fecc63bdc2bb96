from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from rich.console import Console

from nubbin.checks.case import Checking
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Learned, ListStarted, Observer, Started, to_all
from nubbin.report.lines import LogLines
from nubbin.report.live import picture
from nubbin.report.progress import Progress


def log(progress: Progress, out: io.StringIO, *, verbose: bool = False) -> Observer:
    """Return what writes a log into a text, and the progress that it reads."""
    return to_all([progress, LogLines(Console(file=out, width=200), progress, verbose=verbose)])


def test_a_line_at_the_start_and_at_every_step_that_takes_its_time(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, log(progress, out), pace=0.3)
    assert out.getvalue().splitlines() == [
        "nubbin: fleet.toml: 48,213 bytes, 1,204 lines, 9,120 tokens; cdd, 2 jobs",
        "nubbin: tokens: 4,500 elements; 24,000 bytes, 600 lines, 4,500 tokens (50.2 % removed); "
        "3 queries in 2.1 s",
    ]


def test_a_list_of_tests_is_counted_in_tests(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = log(progress, out)
    started = run[0]
    assert isinstance(started, Started)
    feed([replace(started, items="tests"), *run[1:8]], plain, pace=0.3)
    first, last = out.getvalue().splitlines()
    assert first == "nubbin: fleet.toml: 1,204 tests; cdd, 2 jobs"
    assert "; 1,204 tests, 600 left; 3 queries" in last
    text = "\n".join(row.plain for row in picture(progress, 76, braille=False))
    assert " tests " in text and " lines " not in text


def test_improvements_are_lines_every_few_seconds(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = log(progress, out)
    feed(run[:2], plain)
    feed([run[3]] * 20, plain)
    assert len(out.getvalue().splitlines()) == 1 + 4


def test_a_slow_run_shows_that_it_is_alive(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = log(progress, out)
    feed(run[:2], plain)
    feed([run[4]] * 6, plain, pace=6)
    assert len(out.getvalue().splitlines()) == 1 + 3


def test_a_first_run_that_may_hang_is_told(progress: Progress) -> None:
    out = io.StringIO()
    log(progress, out)(Checking(1, 300.0, None, 10.0))
    assert "run 1 of the test still runs after 10 s" in out.getvalue()
    assert "--hangs 5" in out.getvalue()


def test_the_start_is_said_once_and_each_line_says_whose_it_is(progress: Progress) -> None:
    out = io.StringIO()
    lines = log(progress, out)
    for event in (Checking(1, 300.0, None), Checking(2, 300.0, None), Checking(1, 300.0, None)):
        lines(event)
    assert out.getvalue().count("checking the test") == 1
    lines(Learned(Conditions(exits="1"), "tool {}", "an empty one fails, too"))
    lines(Checking(1, 300.0, None))
    start, looking, _, doubt = out.getvalue().splitlines()
    assert start == "nubbin: checking the test ..."
    assert looking == "nubbin: looking for: --exits 1"
    assert doubt == "nubbin: in doubt: an empty one fails, too"


def test_quick_steps_are_no_flood(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = log(progress, out)
    feed(run[:1], plain)
    feed([ListStarted("nodes", 3)] * 100, plain, pace=0.01)
    assert len(out.getvalue().splitlines()) == 1


def test_lists_that_gain_nothing_are_no_lines(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = log(progress, out)
    feed(run[:1], plain)
    feed([ListStarted("nodes", 3)] * 2, plain, pace=2)
    assert len(out.getvalue().splitlines()) == 1
    feed([run[3]], plain, pace=0.5)
    feed([ListStarted("tokens", 3)] * 2, plain, pace=2)
    assert [line[:22] for line in out.getvalue().splitlines()[1:]] == ["nubbin: tokens: 3 elem"]


def test_verbose_writes_every_improvement(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, log(progress, out, verbose=True), pace=0.1)
    lines = [line for line in out.getvalue().splitlines() if line.startswith("nubbin: ")]
    assert [line.split(" bytes")[0] for line in lines[1:]] == ["nubbin: 24,000", "nubbin: 31"]


def test_verbose_writes_every_query(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, log(progress, out, verbose=True), pace=0.1)
    queries = [line.split() for line in out.getvalue().splitlines() if "nubbin" not in line]
    assert queries == [
        ["1", "probe", "7", "elements", "interesting", "250", "ms"],
        ["2", "probe", "7", "elements", "uninteresting", "250", "ms"],
        ["3", "proof", "7", "elements", "unresolved", "2.0", "s"],
        ["4", "probe", "7", "elements", "interesting", "250", "ms"],
    ]
