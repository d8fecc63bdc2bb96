"""A run is steered from outside, and comes to the same end when it is resumed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples import mostly_nightly
from faults import script as write_script
from nubbin.journal.command_box import (
    GO_ON,
    JOBS,
    MAX_QUERIES,
    MAX_TIME,
    PAUSE,
    SKIP_PASS,
    STOP,
    SteeringCommand,
    post,
)
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import RecordedRun
from nubbin.reduction.events import Event, ListStarted, Started, Steered
from nubbin.reduction.observers.watched import Steering
from nubbin.reduction.recorded.inspection import verify
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.run_job import Reduction
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget
from nubbin_core.search.problem import Answered
from watch.recorded import FACTS

Script = Callable[..., Path]

TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(12))
CRASH = "case $(cat input.c) in *f3*f7*) ;; *) exit 1 ;; esac"


class Helm:
    """An observer that gives commands after some queries, and remembers what happened.

    Without a command, it skips the pass that is run; and each time the one that it `skips`.
    """

    def __init__(self, *orders: tuple[int, SteeringCommand | None], skips: str = ""):
        self._orders = list(orders)
        self._skips = skips
        self._run = Path()
        self.queries = 0
        self.passes: list[str] = []
        self.steered: list[SteeringCommand] = []

    def __call__(self, event: Event) -> None:
        match event:
            case Started(run=Path() as run):
                self._run = run
            case ListStarted(name=name):
                self.passes.append(name)
                self._orders += [(0, None)] if name == self._skips else []
            case Answered():
                self.queries += 1
                while self._orders and self._orders[0][0] <= self.queries:
                    _, order = self._orders.pop(0)
                    post(self._run, order or SteeringCommand(SKIP_PASS, self.passes[-1]))
            case Steered(command=command):
                self.steered.append(command)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Reduction:
    """The result if nobody steers."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "input.c").write_bytes(TEXT)
    return reduce(write_script(folder, CRASH), folder / "input.c", jobs=1)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.c"
    path.write_bytes(TEXT)
    return path


@pytest.fixture(autouse=True)
def _heard_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for commands before every query, so that it is known when they are heard."""
    monkeypatch.setattr("nubbin.reduction.observers.watched._LOOK_PERIOD_S", 0.0)


def steered(test: Path, source: Path, helm: Helm, **options: Any) -> Reduction:
    return reduce(test, source, record=True, observers=[helm], **options)


@pytest.mark.parametrize("jobs", mostly_nightly([1, 3], [3]))
@pytest.mark.parametrize("after", mostly_nightly([[3], [10], [5, 5, 12], [20, 30]], [[5, 5, 12]]))
def test_a_skipped_pass_is_skipped_again(
    script: Script, source: Path, jobs: int, after: list[int]
) -> None:
    helm = Helm(*[(queries, None) for queries in after])
    result = steered(script(CRASH), source, helm, jobs=jobs)
    assert result.run is not None
    records = RecordedRun.open(result.run).facts.commands
    assert [SteeringCommand(each.name, each.value) for each in records] == helm.steered
    assert [each.queries for each in records][:1] == after[:1]
    replayed = Helm()
    resumed = resume(result.run, jobs=1, observers=[replayed])
    assert (resumed.data, resumed.queries) == (result.data, result.queries)
    assert (replayed.passes, replayed.steered) == (helm.passes, [])
    assert resumed.minimal == result.minimal
    assert verify(result.run).holds or not result.minimal


def test_a_run_broken_off_after_a_skip_comes_to_the_same_end(
    script: Script, source: Path, tmp_path: Path
) -> None:
    whole = steered(script(CRASH), source, Helm((10, None)), jobs=1)
    other = tmp_path / "other" / "input.c"
    other.parent.mkdir()
    other.write_bytes(TEXT)
    broken = steered(script(CRASH), other, Helm((10, None)), jobs=1, max_queries=14)
    assert broken.run is not None
    assert broken.reason == "max-queries"
    resume(broken.run, jobs=1, max_queries=20)
    end = resume(broken.run, jobs=3)
    assert (end.data, end.queries, end.minimal) == (whole.data, whole.queries, whole.minimal)


def test_a_proof_that_is_skipped_proves_nothing(
    script: Script, source: Path, whole: Reduction
) -> None:
    result = steered(script(CRASH), source, Helm(skips="tokens"), jobs=1)
    assert (whole.minimal, result.minimal, result.reason) == (True, False, "fixpoint")
    assert result.data == whole.data


def test_a_pass_that_has_ended_is_not_skipped(script: Script, source: Path) -> None:
    helm = Helm((10, SteeringCommand(SKIP_PASS, "chars")))
    result = steered(script(CRASH), source, helm, jobs=1)
    assert result.run is not None
    assert helm.steered == []
    assert not RecordedRun.open(result.run).facts.commands
    assert result.minimal


def test_a_run_that_is_stopped_has_its_best_and_goes_on(
    script: Script, source: Path, whole: Reduction
) -> None:
    result = steered(script(CRASH), source, Helm((12, SteeringCommand(STOP))), jobs=1)
    assert (result.reason, result.queries, result.minimal) == ("stopped", 12, False)
    assert result.reproduced is not None
    assert result.output.read_bytes() == result.data
    assert result.run is not None
    assert resume(result.run, jobs=1).data == whole.data


def test_jobs_are_changed_and_the_result_is_not(
    script: Script, source: Path, whole: Reduction
) -> None:
    orders = [
        (5, SteeringCommand(JOBS, 4)),
        (20, SteeringCommand(JOBS, 1)),
        (30, SteeringCommand(JOBS, 2)),
    ]
    helm = Helm(*orders)
    result = steered(script(CRASH), source, helm, jobs=1)
    assert (result.data, result.queries) == (whole.data, whole.queries)
    assert helm.steered == [command for _, command in orders]
    assert result.run is not None
    tally = RecordedRun.open(result.run).tally
    assert tally is not None
    assert tally.jobs == 2
    assert resume(result.run, jobs=1).data == whole.data


def test_a_limit_is_raised_and_set(script: Script, source: Path) -> None:
    helm = Helm((5, SteeringCommand(MAX_QUERIES, 25)), (9, SteeringCommand(MAX_TIME, 3600.0)))
    result = steered(script(CRASH), source, helm, jobs=1, max_queries=10, max_time=1e9)
    assert (result.reason, result.queries) == ("max-queries", 25)
    helm = Helm((5, SteeringCommand(MAX_TIME, 1e-9)))
    assert steered(script(CRASH), source, helm, jobs=1).reason == "max-time"


def test_a_limit_raised_in_a_run_changes_no_result(
    script: Script, source: Path, whole: Reduction
) -> None:
    first = steered(
        script(CRASH), source, Helm((5, SteeringCommand(MAX_QUERIES, 25))), max_queries=10
    )
    assert (first.reason, first.queries, first.run is None) == ("max-queries", 25, False)
    again = resume(
        first.run or "", observers=[helm := Helm((30, SteeringCommand(MAX_QUERIES, 35)))]
    )
    assert (again.reason, again.queries, len(helm.steered)) == ("max-queries", 35, 1)
    end = resume(first.run or "")
    assert (end.data, end.queries, end.minimal) == (whole.data, whole.queries, True)


def test_a_resumed_run_that_is_stopped_at_once_keeps_its_best(
    script: Script, source: Path, whole: Reduction
) -> None:
    first = steered(script(CRASH), source, Helm((25, SteeringCommand(STOP))), jobs=1)
    assert first.run is not None
    again = resume(first.run, jobs=1, observers=[Helm((2, SteeringCommand(STOP)))])
    assert (again.reason, again.queries) == ("stopped", 2)
    assert again.data == again.output.read_bytes() == first.data
    assert resume(first.run, jobs=1).data == whole.data


def test_a_limit_counts_from_when_it_is_set_also_in_a_pause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The clock goes on by a day while the run sleeps."""
    budget = Budget()
    now = [time.monotonic()]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", lambda _: slept())
    orders = [SteeringCommand(MAX_TIME, 60), SteeringCommand(GO_ON)]

    def slept() -> None:
        now[0] += 86_400
        post(tmp_path, orders.pop(0))

    with Journal.create(tmp_path) as journal:
        journal.tell(**FACTS)
        steering = Steering(journal, budget, Pool(), lambda event: None)
        post(tmp_path, SteeringCommand(PAUSE))
        steering.check()
    assert budget.max_time is not None
    assert budget.max_time - budget.seconds == pytest.approx(60)


def test_a_paused_run_goes_on_when_it_is_told(
    script: Script, source: Path, whole: Reduction
) -> None:
    helm = Helm(
        (5, SteeringCommand(PAUSE)), (5, SteeringCommand(JOBS, 2)), (5, SteeringCommand(GO_ON))
    )
    result = steered(script(CRASH), source, helm, jobs=1)
    assert helm.steered == [
        SteeringCommand(PAUSE),
        SteeringCommand(JOBS, 2),
        SteeringCommand(GO_ON),
    ]
    assert (result.data, result.queries, result.minimal) == (whole.data, whole.queries, True)


@pytest.mark.parametrize(
    "command",
    mostly_nightly(
        [
            SteeringCommand(PAUSE),
            SteeringCommand(JOBS, 3),
            SteeringCommand(MAX_QUERIES, 900),
            SteeringCommand(SKIP_PASS, "subtrees"),
        ],
        [SteeringCommand(PAUSE), SteeringCommand(SKIP_PASS, "subtrees")],
    ),
)
def test_a_run_that_is_killed_when_it_has_heard_a_command_goes_on(
    script: Script, source: Path, tmp_path: Path, command: SteeringCommand
) -> None:
    """A real process; its own test posts the command, again and again: it is not read at once."""
    run, log, heard = tmp_path / "run", tmp_path / "log", tmp_path / "heard"
    order = (
        "from pathlib import Path; from nubbin.journal.command_box import SteeringCommand, post; "
        f"post(Path({str(run)!r}), {command!r})"
    )
    log.touch()
    test = script(
        f"""
        echo >>{log}
        [ $(wc -l <{log}) -lt 9 ] || [ -e {heard} ] || {sys.executable} -c "{order}" || exit 1
        {CRASH}
        """
    )
    line = [sys.executable, "-m", "nubbin", "reduce", "-v", "-j1", "--run-dir", str(run)]
    with subprocess.Popen([*line, test, source], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(f"from `nubbin watch`: {command.name}" in said for said in process.stderr)
        asked = log.read_text()
        process.send_signal(signal.SIGKILL)
    heard.touch()
    if command.name == PAUSE:
        assert log.read_text() == asked
    result = resume(run, jobs=1)
    assert result.minimal
    assert verify(run).holds
