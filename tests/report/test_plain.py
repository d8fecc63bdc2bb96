from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console

from nubbin.oracles.verdict import Verdict
from nubbin.reduction.events import Answered, Event, Improved, StepStarted
from nubbin.report.ledger import Ledger
from nubbin.report.plain import Plain


def test_a_line_at_the_start_and_at_every_step_that_takes_its_time(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, ledger, Plain(Console(file=out), ledger), pace=0.3)
    assert out.getvalue().splitlines() == [
        "nubbin: fleet.toml: 48,213 bytes, 1,204 lines, 9,120 tokens; cdd, 2 jobs",
        "nubbin: lines: 1,204 elements; 48,213 bytes, 1,204 lines, 9,120 tokens (0 % gone); "
        "0 queries in 600 ms",
        "nubbin: tokens: 4,500 elements; 24,000 bytes, 600 lines, 4,500 tokens (50.2 % gone); "
        "3 queries in 2.1 s",
    ]


def test_improvements_are_lines_every_few_seconds(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = Plain(Console(file=out), ledger)
    feed(run[:2], ledger, plain)
    feed([Improved(ledger.sizes)] * 20, ledger, plain)
    assert len(out.getvalue().splitlines()) == 2 + 4


def test_a_slow_run_shows_that_it_is_alive(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = Plain(Console(file=out), ledger)
    feed(run[:2], ledger, plain)
    feed([Answered("probe", Verdict.UNINTERESTING, 20)] * 6, ledger, plain, pace=20)
    assert len(out.getvalue().splitlines()) == 2 + 3


def test_quick_steps_are_no_flood(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    plain = Plain(Console(file=out), ledger)
    feed(run[:1], ledger, plain)
    feed([StepStarted("nodes", 3)] * 100, ledger, plain, pace=0.01)
    assert len(out.getvalue().splitlines()) == 2


def test_verbose_writes_every_improvement(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, ledger, Plain(Console(file=out), ledger, verbose=True), pace=0.1)
    lines = [line for line in out.getvalue().splitlines() if line.startswith("nubbin: ")]
    assert [line.split(" bytes")[0] for line in lines[2:]] == ["nubbin: 24,000", "nubbin: 31"]


def test_verbose_writes_every_query(
    ledger: Ledger, run: tuple[Event, ...], feed: Callable[..., None]
) -> None:
    out = io.StringIO()
    feed(run, ledger, Plain(Console(file=out), ledger, verbose=True), pace=0.1)
    queries = [line.split() for line in out.getvalue().splitlines() if "nubbin" not in line]
    assert queries == [
        ["1", "probe", "interesting", "250", "ms"],
        ["2", "probe", "uninteresting", "250", "ms"],
        ["3", "proof", "unresolved", "2.0", "s"],
        ["4", "probe", "interesting", "250", "ms"],
    ]
