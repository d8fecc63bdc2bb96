"""The option `--costs`: processor seconds of each test, and of all processes that it waited for.

They depend less on how busy the machine is than the seconds of a clock, which `--durations` tells.
"""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any

import pytest

_SECONDS = "processor seconds"  # a property of the report of a test
_SHOWN = 40
_costs: dict[str, float] = {}
_before = 0.0


def _now() -> float:
    """Return the seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="print the processor seconds of tests")


def pytest_collection_finish() -> None:
    global _before  # noqa: PLW0603
    _before = _now()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """Measure up to here: the end of a file of tests counts as part of its last one."""
    global _before  # noqa: PLW0603
    if call.when == "teardown":
        now = _now()
        item.user_properties.append((_SECONDS, now - _before))
        _before = now


def note_cost(report: pytest.TestReport) -> None:
    """Keep what a worker of xdist, or this process, has measured."""
    told: dict[str, Any] = dict(report.user_properties)
    if report.when == "teardown" and _SECONDS in told:
        _costs[report.nodeid] = told[_SECONDS]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if not config.getoption("--costs"):
        return
    folders: defaultdict[str, float] = defaultdict(float)
    for test, seconds in _costs.items():
        folders[os.path.dirname(test.split("::")[0])] += seconds  # noqa: PTH120
    terminalreporter.section(f"{sum(_costs.values()):.0f} processor seconds, but for collection")
    for folder, seconds in _dearest(folders):
        terminalreporter.line(f"{seconds:8.1f}  {folder}")
    for test, seconds in _dearest(_costs)[:_SHOWN]:
        terminalreporter.line(f"{seconds:8.2f}  {test}")


def _dearest(seconds: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda each: -each[1])
