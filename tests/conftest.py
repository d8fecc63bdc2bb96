"""Settings of the whole test suite, and real test scripts in a folder of their own."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from costs import (  # noqa: F401 - pytest calls them
    note_cost,
    pytest_addoption,
    pytest_collection_finish,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)
from faults import PATIENCE_S, Tether, names
from faults import script as script_in
from forked import EXEC, forking
from ledger import MOST_OF_ALL
from nubbin.checks import case, trust
from nubbin.documents.parsing.trees import parsing
from nubbin.oracles import oracle
from nubbin.passes.guard import Guard
from nubbin.reduction.start import open_job
from nubbin_core.search import confirmation, flaky_aware_test

Script = Callable[..., Path]

ROOT = Path(__file__).parents[1]
#: What may come while tests run: folders of the tools that run them, or run beside them.
TOOLS = {".hypothesis", ".import_linter_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
TOOLS |= {"build", "dist"}

# The machine may be busy: no test fails for being slow. Failures are printed ready to replay.
# By day each run tries the same examples, so that no submission fails by luck; the night tries new
# ones.
settings.register_profile(
    "full", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("fast", settings.get_profile("full"), max_examples=20, derandomize=True)
settings.register_profile("long", settings.get_profile("full"), max_examples=2000)
settings.load_profile("fast")

# A function that is a test is called by this Python, whatever environment is active.
os.environ.pop("VIRTUAL_ENV", None)
# A script that calls Python gets one, not a script of pyenv that looks for it.
os.environ["PATH"] = f"{sys.base_prefix}/bin{os.pathsep}{os.environ['PATH']}"
# Its output is buffered, as it is for users.
os.environ.pop("PYTHONUNBUFFERED", None)

# What others leave in the temporary folder fails no test. What pytest keeps stays outside.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="nubbin-tests-")
Path(tempfile.tempdir).chmod(0o1777)  # other users may write there, as in the system's
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
# Runs bear the mark of a key that only the tests have.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="state-")

# Under nohup, or in the background of a script, signals are ignored, and by all that we start.
# What is handled here, if only by doing nothing, has its usual effect there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as a test of Ctrl-C expects it here
for each in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, lambda *_: None)


#: By how much the queries of each row of the ledger have grown, as told by the workers of xdist.
_growth: list[tuple[float, float]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Collect what tests/test_ledger.py has measured, and what tests cost."""
    note_cost(report)
    if report.when == "call":
        told: list[tuple[str, Any]] = report.user_properties
        _growth.extend(value for name, value in told if name == "ledger")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if all rows of the ledger were measured, and are worse in the mean."""
    rows = len((ROOT / "tests/ledger.csv").read_text().splitlines()) - 1
    means = [math.exp(fmean(each)) for each in zip(*_growth, strict=True)]
    if len(_growth) == rows and max(means) > MOST_OF_ALL:
        print(f"\nLedger: {max(means) - 1:.1%} more queries in the mean of all rows")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="session")
def nothing_is_left_in_the_checkout() -> Iterator[None]:
    """Tests write to folders of their own: a relative path in one of them ends up here."""
    before = set(names(ROOT))
    yield
    assert set(names(ROOT)) - before <= TOOLS


@pytest.fixture(autouse=True, scope="session")
def nubbin_starts_as_a_clone() -> Iterator[None]:
    """Imports of nubbin take most of the seconds of a command."""
    with forking():
        yield


@pytest.fixture(autouse=True, scope="session")
def reductions_share_a_parser() -> Iterator[None]:
    """The parser's process takes longer to start than most inputs to parse."""
    with pytest.MonkeyPatch.context() as patch, parsing():
        if EXEC not in os.environ:
            patch.setattr(open_job, "parsing", nullcontext)
        yield


@pytest.fixture(autouse=True, scope="session")
def reductions_have_one_worker() -> Iterator[None]:
    """Unless a test gives `jobs`: the suite uses every processor, and guesses cost twice the runs.

    At night there are as many as processors.
    """
    with pytest.MonkeyPatch.context() as patch:
        if EXEC not in os.environ:
            patch.setattr(open_job, "_cores", lambda: 1)
        yield


@pytest.fixture(autouse=True, scope="module")
def time_enough() -> Iterator[None]:
    """No outcome depends on how busy the machine is: limits of seconds become ten minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle, "_MIN_LIMIT_S", PATIENCE_S)
        patch.setattr(case, "_MAX_TRIES_S", PATIENCE_S)
        patch.setattr(trust, "_MAX_ALONE_S", PATIENCE_S)
        patch.setattr(trust, "_MAX_S", PATIENCE_S)
        patch.setattr(confirmation, "_MAX_RESULT_S", PATIENCE_S)
        patch.setattr(flaky_aware_test, "_MAX_PROOF_S", PATIENCE_S)
        yield


@pytest.fixture(autouse=True)
def no_pass_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that raises never ends a reduction of a user's, but it ends a test."""
    monkeypatch.setattr(Guard, "note", lambda guard, failure: pytest.fail(failure.traceback))


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test once on a result, and repeat no proof: for tests that are not flaky."""
    monkeypatch.setattr(confirmation, "_RESULT_RUNS", 1)
    monkeypatch.setattr(flaky_aware_test, "_MAX_PROOF_QUERIES", 0)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write an executable shell script and return its path."""
    return partial(script_in, tmp_path)


@pytest.fixture
def tether(tmp_path: Path) -> Iterator[Tether]:
    """Hold the end of a pipe at which the processes that a test started are seen to be gone."""
    with Tether(tmp_path) as held:
        yield held
