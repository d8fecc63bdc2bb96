"""The view on a screen: what it shows in any window, and where its keys lead."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import OptionList, Static, TabbedContent

from faults import PATIENCE_S
from nubbin.journal.command_box import CommandBox, SteeringCommand
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import PassTally
from nubbin.watch import reader
from nubbin.watch.keys import KeyBar, SteeringScreen
from nubbin.watch.panels import Panel
from nubbin.watch.run_screen import RunList, RunScreen, WatchApp
from watch.recorded import accept, record, tally

Deed = Callable[[Pilot[None]], Awaitable[None]]


@pytest.fixture(autouse=True)
def news_may_be_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer to open the view than a run may be silent."""
    monkeypatch.setattr(reader, "_MAX_SILENCE_S", PATIENCE_S)


def play(run: Path | None, deed: Deed) -> WatchApp:
    """Open the view, and do something there."""

    async def played() -> WatchApp:
        app = WatchApp(run)
        async with app.run_test() as pilot:
            await deed(pilot)
        return app

    return asyncio.run(played())


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait until something holds: what is read comes from a thread.

    A wrong expectation fails after ten minutes, instead of waiting for ever.
    """
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await pilot.pause(0.01)


def text_of(pilot: Pilot[None], selector: str) -> str:
    found = pilot.app.screen.query(selector).results(Static)
    return next((str(each.content) for each in found), "")


async def opened(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: "→" in text_of(pilot, "#headline"))


def test_the_head_says_how_far_a_run_is_and_fits_any_window(tmp_path: Path) -> None:
    record(tmp_path)

    async def deed(pilot: Pilot[None]) -> None:
        await opened(pilot)
        shown = text_of(pilot, "#headline")
        assert [part.strip() for line in shown.splitlines() for part in line.split("   ")] == [
            *("nubbin  input.c", "done", "0:30", "2 jobs", "auto"),
            "looking for: exit status 0 of the test",
            *("13 → 6 bytes", "53.8 % removed", "10 queries", "50.0 % accepted"),
            "1-minimal; result: /home/somebody/input.reduced.c",
        ]
        for columns, rows in [(1, 1), (7, 4), (40, 12), (119, 60), (120, 24), (200, 60), (80, 24)]:
            await pilot.resize_terminal(columns, rows)
            await pilot.pause()
            for line in text_of(pilot, "#headline").splitlines():
                assert len(line) <= max(1, columns)

    play(tmp_path, deed)


def test_what_happens_meanwhile_is_shown(tmp_path: Path) -> None:
    record(tmp_path)

    async def deed(pilot: Pilot[None]) -> None:
        await opened(pilot)
        with Journal(tmp_path) as journal:
            await until(pilot, lambda: "under way" in text_of(pilot, "#headline"))
            accept(journal, b"a;", 15, "chars")
            journal.tell_tally(tally(15))
            await until(pilot, lambda: "2 bytes" in text_of(pilot, "#headline"))
            assert "tree levels: 3 of 8 elements kept" in text_of(pilot, "#headline")

    play(tmp_path, deed)


def test_keys_and_clicks_open_tabs_and_turn_the_curve_but_steer_no_run_that_has_ended(
    tmp_path: Path,
) -> None:
    record(tmp_path)

    async def deed(pilot: Pilot[None]) -> None:
        await opened(pilot)
        tabs = pilot.app.screen.query_one(TabbedContent)
        table = pilot.app.screen.query("#passes Panel").first(Panel)
        for key, name in [("t", "test"), ("d", "different"), ("b", "best"), ("p", "passes")]:
            await pilot.press(key)
            assert tabs.active == name
        await until(pilot, lambda: "bytes removed" in str(table.content))
        assert "over time" in text_of(pilot, "#curve")
        await pilot.press("x")
        assert "over queries" in text_of(pilot, "#curve")
        await until(pilot, lambda: "axis" in text_of(pilot, "KeyBar"))
        await pilot.click(KeyBar, offset=(12, 0))
        assert "over time" in text_of(pilot, "#curve")
        await pilot.press("space", "s", "plus", "e")
        assert isinstance(pilot.app.screen, RunScreen)

    play(tmp_path, deed)
    assert not (tmp_path / "commands").exists()


def test_no_key_has_two_meanings() -> None:
    """The first letter of each tab is a key."""
    bindings = [each for screen in (RunScreen, SteeringScreen) for each in screen.BINDINGS]
    keys = [each.key for each in bindings if isinstance(each, Binding)]
    assert len(keys) == len(bindings) == len({*keys})


def test_all_keys_are_in_sight_in_a_narrow_window(tmp_path: Path) -> None:
    record(tmp_path)

    def rows(pilot: Pilot[None]) -> list[str]:
        return re.sub(r"\[[@b/].*?\]", "", text_of(pilot, "KeyBar")).splitlines()

    async def deed(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "pause" in text_of(pilot, "KeyBar"))
        for columns in (200, 80, 40, 20):
            await pilot.resize_terminal(columns, 40)
            await until(pilot, lambda room=columns - 2: max(map(len, rows(pilot))) <= room)  # type: ignore[misc]
            shown = "  ".join(rows(pilot))
            assert shown.startswith("space pause/resume  s skip pass  +/- jobs")
            assert shown.endswith("e end run  q leave  x axis  ? keys")
        await pilot.press("question_mark")
        (explained,) = (each.message for each in pilot.app._notifications)
        assert [line.split()[0] for line in explained.splitlines()] == [
            *("space", "s", "+/-", "l", "e", "q", "x", "b", "p", "t", "d")
        ]

    with Journal(tmp_path):
        play(tmp_path, deed)


def test_a_run_is_chosen_from_the_list_and_left_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".nubbin").mkdir()
    for name in ("one", "two"):
        record(tmp_path / ".nubbin" / name)

    async def deed(pilot: Pilot[None]) -> None:
        runs = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: runs.option_count == 2)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
        await opened(pilot)
        await pilot.press("q")
        assert isinstance(pilot.app.screen, RunList)
        await pilot.press("q")

    assert play(None, deed).return_code == 0


def test_a_folder_without_runs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def deed(pilot: Pilot[None]) -> None:
        heading = pilot.app.screen.query_one("#heading")
        await until(pilot, lambda: "no recorded run" in str(heading.render()))

    play(None, deed)


def test_runs_that_are_deleted_are_listed_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".nubbin").mkdir()
    record(tmp_path / ".nubbin" / "one")

    async def deed(pilot: Pilot[None]) -> None:
        runs = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: runs.option_count == 1)
        shutil.rmtree(".nubbin")
        await until(pilot, lambda: runs.option_count == 0)

    play(None, deed)


def test_a_run_that_is_damaged_while_it_is_watched_is_told(tmp_path: Path) -> None:
    record(tmp_path)

    async def deed(pilot: Pilot[None]) -> None:
        await opened(pilot)
        (tmp_path / "journal.sqlite").write_bytes(b"garbage" * 1000)
        await until(pilot, lambda: "cannot be read" in text_of(pilot, "#headline"))

    play(tmp_path, deed)


def test_keys_leave_commands(tmp_path: Path) -> None:
    record(tmp_path)
    with Journal(tmp_path):
        box = CommandBox(tmp_path)

        async def deed(pilot: Pilot[None]) -> None:
            await opened(pilot)
            for keys, expected in (
                (["space"], SteeringCommand("pause")),
                (["s"], SteeringCommand("skip-pass", "tree levels")),
                (["plus"], SteeringCommand("jobs", 3)),
                (["minus"], SteeringCommand("jobs", 1)),
                (["l", *"500", "enter"], SteeringCommand("max-queries", 500)),
                (["l", *"2m", "enter"], SteeringCommand("max-time", 120.0)),
                (["e", *"yes", "enter"], SteeringCommand("stop")),
                (["e", *"no", "enter"], None),
                (["l", *"x", "enter"], None),
                (["e", "escape"], None),
            ):
                await pilot.press(*keys)
                await pilot.pause()
                assert box.taken() == ([] if expected is None else [expected]), keys

        play(tmp_path, deed)


def test_a_paused_run_is_shown_as_such_and_can_go_on(tmp_path: Path) -> None:
    record(tmp_path)
    with Journal(tmp_path) as journal:
        journal.tell_tally(tally(10, is_paused=True))
        box = CommandBox(tmp_path)

        async def deed(pilot: Pilot[None]) -> None:
            await until(pilot, lambda: "paused" in text_of(pilot, "#headline"))
            await pilot.press("space")

        play(tmp_path, deed)
        assert box.taken() == [SteeringCommand("go-on")]


@pytest.mark.parametrize(
    "wrong",
    [
        {
            "facts": {
                "options": {"algorithm": "\x1b[31m[red]"},
                "ended": "\x1b[1m",
                "name": "\x1b",
            }
        },
        {"tally": tally(-5)},
        {"tally": tally(5, seconds=1e300, jobs=-1)},
        {"tally": tally(5, passes=[PassTally("\x1b]0;x\a[b]", 1, 1, 100, 0, -1e300)])},
        {"candidates": [b"a" * 10, b"a" * 1000, b""]},
    ],
)
def test_a_run_that_lies_crashes_nothing(tmp_path: Path, wrong: dict[str, Any]) -> None:
    record(tmp_path, wrong.get("candidates", [b"int a;", b"a;"]))
    with Journal(tmp_path) as journal:
        journal.tell(**wrong.get("facts", {}))
        journal.tell_tally(wrong.get("tally", tally(5)))

    async def deed(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: bool(text_of(pilot, "#headline")))
        for key in "ptob":
            await pilot.press(key)
            for panel in pilot.app.screen.query(Panel):
                shown = str(panel.content)
                assert all(char.isprintable() or char == "\n" for char in shown)

    play(tmp_path, deed)
