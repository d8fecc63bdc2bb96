"""Runs that disturb each other are told from a flaky test."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path

import pytest

from nubbin.checks.case import Case
from nubbin.checks.rejection import NEEDED, findings
from nubbin.checks.trust import alone_if_disturbed, disturbance
from nubbin.documents.document import Document
from nubbin.executors.threads import Threads
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.events import Disturbed, Event, FoundFlaky
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin_core.pool import Pool
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.search import Search
from nubbin_core.verdict import Answer, Verdict

TEXT = b"".join(b"line %d\n" % number for number in range(100))
INPUT = Document.single("input.txt", TEXT)


class Disturbing(Oracle):
    """Looks for two lines, but errs now and then if it does not run in the main thread.

    There, one run at a time is made by the checks. With a `pool`, it never errs once
    that makes single calls.
    Whether it errs depends on the candidate and how often that was run, and not on the order in
    which the threads come here.
    """

    def __init__(
        self, rate: float, seed: int = 0, alone_rate: float = 0.0, pool: Pool | None = None
    ):
        super().__init__(None)
        self._rates = (rate, alone_rate)
        self._seed = seed
        self._times = Counter[bytes]()
        self._lock = threading.Lock()
        self._pool = pool

    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        alone = threading.current_thread() is threading.main_thread()
        alone |= self._pool is not None and self._pool.alone
        (data,) = files.values()
        with self._lock:
            self._times[data] += 1
            chance = random.Random(b"%d %d %b" % (self._seed, self._times[data], data))
        errs = chance.random() < self._rates[alone]
        right = b"line 17\n" in data and b"line 80\n" in data
        verdict = Verdict.INTERESTING if right is not errs else Verdict.UNINTERESTING
        return Answer(verdict, 0.0, None, False)

    def verdict(self, document: Document) -> Verdict:
        return self(document.contents).verdict


@pytest.mark.parametrize("seed", range(5))
def test_disturbed(seed: int) -> None:
    with Threads(4) as pool:
        test = Disturbing(0.5, seed)
        alone = alone_if_disturbed(test.verdict, (INPUT, INPUT.emptied()), pool)
        assert alone is not None
        assert (alone.yes, alone.rate) == (alone.runs, 1)
        none = Disturbing(0.0)
        assert alone_if_disturbed(none.verdict, (INPUT,), pool) is None


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_a_flaky_test_is_hardly_ever_taken_for_that(rate: float) -> None:
    taken = 0
    with Threads(2) as pool:
        for seed in range(100):
            test = Disturbing(rate, seed, alone_rate=rate)
            documents = (INPUT, INPUT.emptied())
            taken += alone_if_disturbed(test.verdict, documents, pool) is not None
    assert taken <= 10


def test_is_found_at_the_start() -> None:
    test = Disturbing(0.7, alone_rate=0.0)
    spec = OracleSpec(CommandTest(("/bin/true",), "/"), "input.txt")
    with Threads(3) as pool:
        case = Case(spec, INPUT, Path("/"), test, pool=pool)
        case.begin()
        found = disturbance(case)
    assert found is not None
    assert found.level == "problem"
    assert "runs of the test interfere" in found.text


def test_a_refusal_at_once_is_no_refusal_alone() -> None:
    spec = OracleSpec(CommandTest(("/bin/true",), "/"), "input.txt")
    with Threads(3) as pool:
        case = Case(spec, INPUT, Path("/"), Disturbing(1.0), pool=pool)
        found = list(findings(case, NEEDED))
    assert [each.level for each in found] == ["fine"]
    assert (case.contradicted, case.trials) == (True, (1, 3))


@pytest.mark.parametrize("seed", range(5))
def test_a_reduction_goes_on_with_one_job(seed: int) -> None:
    events: list[Event] = []
    with Threads(3) as pool:
        asked = Disturbing(0.4, seed, pool=pool)
        test = FlakyAwareTest(lambda document: asked(document.contents), INPUT, {})
        plan = Plan(passes_for(INPUT, "lines", None))
        ended = Reducer(plan, Search(test, pool=pool), test, events.append).run()
    assert sum(isinstance(event, Disturbed) for event in events) == 1
    assert not any(isinstance(event, FoundFlaky) for event in events)
    assert (ended.reason, ended.minimal, pool.width) == ("fixpoint", True, 1)
    assert ended.document.files[0].data == b"line 17\nline 80\n"
