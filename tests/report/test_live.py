from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from nubbin.reduction.events import Event
from nubbin.report.ledger import Ledger
from nubbin.report.live import Live

#: Wipes the alternate screen, shows the cursor and leaves it.
BACK = "\x1b[H\x1b[?25h\x1b[?1049l"


def terminal() -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=80, height=24, force_terminal=True, _environ={}), out


def test_paints_the_last_state_and_wipes_it(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    console, out = terminal()
    with Live(console, ledger, name="fleet.toml") as live:
        feed(run, ledger)
        live.tick()
    assert "4 queries" in out.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert out.getvalue().endswith(BACK)


def test_paints_nothing_while_nothing_changes(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    console, out = terminal()
    live = Live(console, ledger, name="fleet.toml")
    feed(run[:3], ledger)
    live.tick()
    painted = out.getvalue()
    live.tick()
    assert out.getvalue() == painted
    feed(run[3:], ledger)
    live.tick()
    assert out.getvalue() != painted


def test_gives_the_terminal_back_after_an_error(ledger: Ledger) -> None:
    console, out = terminal()
    with pytest.raises(RuntimeError), Live(console, ledger, name="fleet.toml") as live:
        live.tick()
        raise RuntimeError
    assert out.getvalue().endswith(BACK)
