from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from nubbin.checks.case import Checking
from nubbin.journal.command_box import GO_ON, PAUSE, SteeringCommand
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Learned, Steered
from nubbin.report.live import MAX_COLUMNS, frame
from nubbin.report.progress import Progress
from nubbin.text.figures import count, share


def drawn(
    progress: Progress,
    columns: int,
    rows: int = 24,
    *,
    braille: bool = True,
    best: Sequence[str] = (),
) -> list[str]:
    lines = frame(
        progress,
        name="fleet.toml",
        columns=columns,
        rows=rows,
        per_second=44.4,
        braille=braille,
        best=best,
    )
    return [line.plain for line in lines]


@pytest.fixture
def midway(progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]) -> Progress:
    feed(run[:7], progress)
    return progress


def test_says_that_it_checks_the_test(progress: Progress) -> None:
    assert "fleet.toml" in drawn(progress, 80)[0]
    assert drawn(progress, 80)[1].strip() == "reading the input ..."
    progress(Checking(1, 300.0, None))
    assert drawn(progress, 80)[1].strip() == "checking the test ..."
    progress(Checking(3, None, 2.5))
    assert drawn(progress, 80)[1].strip() == (
        "checking the test: run 3; a run on the input took 2.5 s ..."
    )


def test_what_was_learned_is_under_the_name(midway: Progress) -> None:
    before = drawn(midway, 120)
    midway(Learned(Conditions(exits="SIGABRT", prints="it's bad"), "tool {}"))
    after = drawn(midway, 120)
    assert after[1].strip() == """looking for: --exits SIGABRT --prints "it's bad\""""
    assert [*after[:1], *after[4:]] == before
    assert midway.started is not None
    midway(replace(midway.started, looking_for="--prints '" + "a long line " * 20 + "end'"))
    panel = " ".join(line.strip() for line in drawn(midway, 80)[1:6])
    assert re.match("looking for: --prints '(a long line )+end' looking for: --exits", panel)
    assert len(drawn(midway, 20, rows=3)) == 3


def test_shows_sizes_effort_step_and_time(midway: Progress) -> None:
    text = "\n".join(drawn(midway, 80))
    for words in (
        "fleet.toml",
        "cdd · 2 jobs · 0:07",
        "48,213",
        "24,000",
        "50.2 %",
        "4,500",
        "3 queries   44/s   33.3 % accepted   1 unresolved",
        "tokens: 4,500 elements",
        "Ctrl-C",
        "⣿",
    ):
        assert words in text


def test_a_small_window_counts_the_tests_of_a_list_of_tests(midway: Progress) -> None:
    assert f"{count(midway.sizes.bytes)} bytes" in drawn(midway, 80, 5)[1]
    midway.started = replace(midway.started, items="tests") if midway.started else None
    gone = share(midway.before.lines - midway.sizes.lines, midway.before.lines)
    assert drawn(midway, 80, 5)[1].strip() == f"{count(midway.sizes.lines)} tests  {gone} removed"


@pytest.mark.parametrize("columns", [*range(1, 80, 3), 80, 200])
@pytest.mark.parametrize("rows", [3, 24])
def test_fits_any_window(midway: Progress, columns: int, rows: int) -> None:
    lines = frame(midway, name="fleet.toml", columns=columns, rows=rows, per_second=1, braille=True)
    assert max(line.cell_len for line in lines) < max(min(columns, MAX_COLUMNS), 4)
    assert len(lines) <= rows or rows >= 10


@pytest.mark.parametrize("rows", [2, 24])
def test_an_interrupted_run_says_so(midway: Progress, rows: int) -> None:
    def picture() -> list[str]:
        shown = frame(midway, name="a", columns=80, rows=rows, per_second=1, braille=True)
        return [line.plain.strip() for line in shown]

    assert "interrupting ..." not in picture()
    midway.is_interrupted = True
    assert picture()[1] == "interrupting ..."


def test_a_paused_run_is_shown_as_such(midway: Progress) -> None:
    shown = "paused; to continue: nubbin watch"
    assert not any(shown in line for line in drawn(midway, 80))
    midway(Steered(SteeringCommand(PAUSE)))
    assert any(shown in line for line in drawn(midway, 80))
    midway(Steered(SteeringCommand(GO_ON)))
    assert not any(shown in line for line in drawn(midway, 80))


def test_a_narrow_window_puts_the_curve_below(midway: Progress) -> None:
    wide, narrow = drawn(midway, 80), drawn(midway, 50)
    assert len(narrow) == len(wide) + 2
    assert "⣿" in narrow[7]


def test_without_braille_there_is_no_curve(midway: Progress) -> None:
    assert all(ord(char) < 0x2800 for line in drawn(midway, 80, braille=False) for char in line)


def test_shows_the_first_lines_of_the_best_if_there_is_room(midway: Progress) -> None:
    before = drawn(midway, 80)
    best = [f"line {number}" for number in range(100)]
    lines = drawn(midway, 80, best=best)
    assert lines[: len(before)] == before
    assert [line.strip() for line in lines[len(before) + 1 :]][:3] == best[:3]
    assert len(lines) < 24
    assert drawn(midway, 80, rows=len(before) + 3, best=best) == before
