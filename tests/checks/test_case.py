"""A first run that seems to hang is told so by what it does, and not by the clock."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest

from nubbin.checks.case import Case, Checking
from nubbin.documents.document import Document
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.processes.resource_monitor import Work
from nubbin_core.verdict import Answer, Verdict


class _Slow(Future[Answer]):
    """A run that is waited for so many times, and then over."""

    def __init__(self, times: int):
        super().__init__()
        self._times = times

    def result(self, timeout: float | None = None) -> Answer:
        self._times -= 1
        if self._times >= 0 and timeout is not None:
            raise TimeoutError
        return Answer(Verdict.INTERESTING, 1.0, 0, timed_out=False)


@pytest.mark.parametrize(
    ("works", "waited"),
    [
        ([(0.0, 0), (9.9, 0), (10.0, 0)], 20.0),  # it uses the processor, and says nothing
        ([(0.0, 0), (0.0, 0)], 10.0),  # it waits for something
        ([(0.0, 0), (3.0, 0), (6.0, 0), (9.0, 0)], None),  # the machine is busy
        ([(0.0, 0), (9.0, 5), (18.0, 9), (27.0, 12)], None),  # it prints
    ],
)
def test_a_first_run_seems_to_hang_by_what_it_does_and_not_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    works: list[tuple[float, int]],
    waited: float | None,
) -> None:
    told: list[Checking] = []
    looks = iter(works)
    monkeypatch.setattr("nubbin.checks.case.work", lambda _: Work(*next(looks)))
    document = Document.single("a", b"x")
    spec = OracleSpec(RunTest.of("cat"), "a")
    with LocalOracle(spec, 1.0) as oracle:
        case = Case(spec, document, tmp_path, oracle, on_run=told.append)
        case._first_answer(_Slow(len(works) - 1))
    assert [each.waited for each in told] == ([] if waited is None else [waited])
