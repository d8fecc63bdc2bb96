"""Executors are other people's code: what goes wrong in them neither hangs nor misleads a run."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples, mostly_nightly
from faults import PATIENCE_S, script
from nubbin.documents.deltas import applied
from nubbin.executors import remote_oracle
from nubbin.executors.remote_oracle import NoAnswer, RemoteQuery, clear_worker
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.run_job import Reduction
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer, Verdict

TEXT = b"".join(b"line %d\n" % number for number in range(40))
WANTED = b"line 3\n", b"line 27\n"
TEST = "grep -qx 'line 3' input.txt && grep -qx 'line 27' input.txt"


def refuses(future: Future[Any], answer: Answer) -> None:
    raise RuntimeError("no more calls")


def breaks(future: Future[Any], answer: Answer) -> None:
    raise BrokenExecutor("it broke")


def breaks_later(future: Future[Any], answer: Answer) -> None:
    future.set_exception(BrokenExecutor("it broke"))


def cancels(future: Future[Any], answer: Answer) -> None:
    future.cancel()
    future.set_running_or_notify_cancel()


def fails(future: Future[Any], answer: Answer) -> None:
    future.set_exception(ZeroDivisionError("in a worker"))


def is_interrupted(future: Future[Any], answer: Answer) -> None:
    future.set_exception(KeyboardInterrupt())


def exits(future: Future[Any], answer: Answer) -> None:
    future.set_exception(SystemExit(3))


def returns_nothing(future: Future[Any], answer: Answer) -> None:
    future.set_result(None)


def returns_a_text(future: Future[Any], answer: Answer) -> None:
    future.set_result("interesting")


def cannot_run_it(future: Future[Any], answer: Answer) -> None:
    future.set_result(NoAnswer("the worker on host has no room"))


def loses(future: Future[Any], answer: Answer) -> None:
    pass


def answers_late(future: Future[Any], answer: Answer) -> None:
    def late() -> None:
        if future.set_running_or_notify_cancel():
            future.set_result(answer)

    threading.Timer(0.001, late).start()


FAULTS: dict[Fault, str] = {
    refuses: "it does not take calls: RuntimeError: no more calls",
    breaks: "it broke",
    breaks_later: "it broke",
    cancels: "it cancelled the call",
    fails: "its call raised ZeroDivisionError: in a worker",
    is_interrupted: "its call raised KeyboardInterrupt",
    exits: "its call raised SystemExit: 3",
    returns_nothing: "it returned None",
    returns_a_text: "it returned 'interesting'",
    cannot_run_it: "the worker on host has no room",
    loses: "it did not return within",
}
Fault = Callable[[Future[Any], Answer], None]


class Hostile(Executor):
    """Answers at once, without a worker; `fault` is what goes wrong with which call, from 1 on."""

    def __init__(self, fault: Callable[[int], Fault | None]):
        self._fault = fault
        self._calls = count(1)

    def submit(self, call: Any, query: RemoteQuery) -> Future[Any]:  # type: ignore[override]
        """Decide about the candidate without a test."""
        (data,) = applied(query.candidate, {}).values()
        interesting = all(line in data.splitlines(keepends=True) for line in WANTED)
        verdict = Verdict.INTERESTING if interesting else Verdict.UNINTERESTING
        answer = Answer(verdict, 0.001, int(not interesting), False)
        future: Future[Any] = Future()
        fault = self._fault(next(self._calls))
        if fault is None:
            future.set_result(answer)
        else:
            fault(future, answer)
        return future


def reduced(folder: Path, executor: Executor, jobs: int = 2, **options: Any) -> Reduction:
    """Reduce the text, with a short limit for answers that do not come."""
    source = folder / "input.txt"
    source.write_bytes(TEXT)
    test = script(folder, TEST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote_oracle, "_OVERHEAD_S", 0.02)
        options = {"timeout": 0.01, "smallest": "lines", **options}
        return reduce(test, source, executor=executor, jobs=jobs, **options)


@pytest.fixture(autouse=True)
def forgetting() -> Iterator[None]:
    yield
    clear_worker()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_before_the_run_the_user_gets_a_paragraph(tmp_path: Path, fault: Fault) -> None:
    with pytest.raises(NubbinError, match="The workers that run the test were lost") as raised:
        reduced(tmp_path, Hostile(lambda call: fault))
    assert FAULTS[fault] in str(raised.value)
    assert not (tmp_path / "input.reduced.txt").exists()


@pytest.mark.parametrize("jobs", mostly_nightly([1, 2], [2]))
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_run_ends_with_the_best_so_far(tmp_path: Path, fault: Fault, jobs: int) -> None:
    executor = Hostile(lambda call: fault if call > 12 else None)
    result = reduced(tmp_path, executor, jobs, record=tmp_path / "run")
    assert (result.reason, result.minimal) == ("workers-lost", False)
    assert FAULTS[fault] in str(result.cause)
    assert len(b"".join(WANTED)) < len(result.data) < len(TEXT)
    assert result.output.read_bytes() == result.data
    assert resume(tmp_path / "run", jobs=1).data == b"".join(WANTED)


@pytest.mark.parametrize("fault", [*FAULTS, answers_late], ids=lambda fault: fault.__name__)
def test_what_goes_wrong_once_is_asked_again(tmp_path: Path, fault: Fault) -> None:
    # One job: what goes wrong with a query that nobody needs in the end goes unnoticed.
    result = reduced(tmp_path, Hostile(lambda call: fault if call % 12 == 0 else None), jobs=1)
    if fault in (breaks, breaks_later):  # an executor that says so is broken for good
        assert result.reason == "workers-lost"
    else:
        assert (result.reason, result.data) == ("fixpoint", b"".join(WANTED))


@given(
    faults=st.lists(st.sampled_from([None, None, None, answers_late, *FAULTS]), max_size=40),
    jobs=st.integers(1, 3),
)
@examples(40)
def test_whatever_goes_wrong(faults: list[Fault | None], jobs: int) -> None:
    executor = Hostile(lambda call: faults[call] if call < len(faults) else None)
    with TemporaryDirectory() as folder:
        try:
            result = reduced(Path(folder), executor, jobs)
        except NubbinError:
            assert not Path(folder, "input.reduced.txt").exists()
        else:
            assert result.output.read_bytes() == result.data
            assert all(line in result.data for line in WANTED)
            if result.reason == "workers-lost":
                assert result.cause
            else:
                assert (result.reason, result.data) == ("fixpoint", b"".join(WANTED))


def test_nothing_is_late_while_there_are_no_workers(tmp_path: Path) -> None:
    """A batch system may start them hours later."""
    looks = count(1)
    future: Future[Any] = Future()

    class Empty(Executor):
        def submit(self, call: Any, query: RemoteQuery) -> Future[Any]:  # type: ignore[override]
            return future

    def has_workers() -> bool:
        if next(looks) == 4:
            future.set_result(Answer(Verdict.INTERESTING, 0.001, 0, False))
        return False

    spec = OracleSpec(CommandTest.of(script(tmp_path, TEST)), "input.txt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote_oracle, "_OVERHEAD_S", 0.01)
        oracle = remote_oracle.RemoteOracle(Empty(), spec, {}, 0.01, has_workers=has_workers)
        assert oracle({"input.txt": TEXT}).verdict is Verdict.INTERESTING


def test_more_jobs_than_workers(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as one:
        result = reduced(tmp_path, one, 8, timeout=60.0)
    assert (result.reason, result.data) == ("fixpoint", b"".join(WANTED))


DRIVER = """
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from nubbin import PythonTest, reduce

if __name__ == "__main__":
    test, source = sys.argv[1:]
    test = PythonTest.of(test) if ":" in test else Path(test)
    fork = get_context("fork")
    for pool in ThreadPoolExecutor(2), ProcessPoolExecutor(2, fork), ThreadPoolExecutor(2):
        with pool:
            result = reduce(test, Path(source), executor=pool, jobs=2, smallest="lines")
            print(result.reason, result.data)
            result.output.unlink()
"""


@pytest.mark.parametrize("kind", ["command", "python"])
def test_a_process_pool_after_a_thread_pool(tmp_path: Path, kind: str) -> None:
    """The processes inherit the state of the threads, and use nothing of it that is not theirs."""
    source = tmp_path / "input.txt"
    source.write_bytes(TEXT)
    test = script(tmp_path, TEST)
    function = tmp_path / "function.py"
    function.write_text(f"def test(path):\n    return set({WANTED}) <= set(open(path, 'rb'))\n")
    given = test if kind == "command" else f"{function}:test"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DRIVER, given, source],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (run.stdout, run.stderr) == (f"fixpoint {b''.join(WANTED)!r}\n" * 3, "")
