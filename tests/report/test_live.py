from __future__ import annotations

import io
import re
import sys
import threading
from collections.abc import Callable

import pytest
from rich.console import Console, ConsoleDimensions

from nubbin.reduction.events import Event
from nubbin.report.live import Live
from nubbin.report.progress import Progress

SHOWN, HIDDEN = "\x1b[?1049h", "\x1b[?1049l"


def terminal() -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=80, height=24, force_terminal=True, _environ={}), out


def test_paints_the_last_state_and_wipes_it(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    console, out = terminal()
    with Live(console, progress, name="fleet.toml") as live:
        feed(run, progress)
        live.tick()
    assert "4 queries" in out.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert out.getvalue().endswith("\x1b[?25h" + HIDDEN)
    assert out.getvalue().count(SHOWN) == out.getvalue().count(HIDDEN) == 1


def test_paints_nothing_while_nothing_changes(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    console, out = terminal()
    live = Live(console, progress, name="fleet.toml")
    feed(run[:3], progress)
    live.tick()
    painted = out.getvalue()
    live.tick()
    assert out.getvalue() == painted
    feed(run[3:], progress)
    live.tick()
    assert out.getvalue() != painted


@pytest.mark.parametrize(("columns", "rows"), [(79, 24), (44, 30), (30, 5), (3, 2), (200, 9)])
def test_a_frame_covers_the_whole_window(
    progress: Progress,
    run: tuple[Event, ...],
    feed: Callable[..., None],
    columns: int,
    rows: int,
) -> None:
    console, out = terminal()
    live = Live(console, progress, name="fleet.toml")
    feed(run, progress)
    live.tick()
    console.size = ConsoleDimensions(columns, rows)
    out.truncate(out.seek(0))
    live.tick()
    painted = re.split(r"\x1b\[(\d+);1H", out.getvalue())
    assert [int(row) for row in painted[1::2]] == list(range(1, rows + 1))
    texts = [re.sub(r"\x1b\[[\d;]*m", "", text) for text in painted[2::2]]
    assert {len(text) for text in texts} == {columns}


def test_gives_the_terminal_back_after_an_error(progress: Progress) -> None:
    console, out = terminal()
    with pytest.raises(RuntimeError), Live(console, progress, name="fleet.toml") as live:
        live.tick()
        raise RuntimeError
    assert out.getvalue().endswith("\x1b[?25h" + HIDDEN)


def test_what_is_written_meanwhile_is_shown_at_the_end(
    progress: Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    console, _ = terminal()
    with Live(console, progress, name="fleet.toml"):
        print("the test has changed", file=sys.stderr)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "the test has changed\n"


def test_a_frame_that_fails_ends_the_display_and_nothing_else(progress: Progress) -> None:
    class Broken(Console):
        failed = threading.Event()

        def update_screen(self, *_: object, **__: object) -> None:
            self.failed.set()
            raise RuntimeError("no frame")

    out = io.StringIO()
    console = Broken(file=out, width=80, height=24, force_terminal=True, _environ={})
    with Live(console, progress, name="fleet.toml"):
        console.failed.wait()
    assert out.getvalue().endswith(HIDDEN)
    assert out.getvalue().count(HIDDEN) == 1


def test_nothing_is_painted_while_it_is_hidden(
    progress: Progress, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    console, out = terminal()
    live = Live(console, progress, name="fleet.toml")
    live.tick()
    with live.hidden():
        assert out.getvalue().endswith(HIDDEN)
    live.tick()  # nothing has changed, but it has to be painted again
    assert out.getvalue().count(SHOWN) == 2
