"""The speed-up of many workers: real runs, recorded once and replayed on simulated workers.

    bench/run.py scale/workers CASES --case NAME ... [--algorithm NAME ...] [--workers W ...]
                               [--seconds S ...] [--records DIR]

CASES holds one folder for each case: see nubbin_bench.cases. Each case is reduced once, and its
verdicts and seconds are recorded in --records. Then the driver reduces it again with W workers and
a virtual clock, which adds up the recorded seconds, scaled to a mean of --seconds, and the
processor time of the driver itself; *half gone* is when half of the bytes were. A candidate that
the recorded run did not ask about can only be speculation in vain; it is answered with no after the
mean time. Runs that are no queries count as well: the check of the test, what is asked again on the
way, the proof and the result. Prints a table of record/scale.md.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from harness.experiment import Table
from nubbin.documents.document import Document
from nubbin.reduction.events import Event, Improved
from nubbin.reduction.pass_problem import PassProblem, Plan
from nubbin.reduction.reducer import Reducer
from nubbin_bench.cases import Case
from nubbin_core.in_line import Call
from nubbin_core.minimizers import LastElement
from nubbin_core.pool import Pool
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.problem import Answered
from nubbin_core.search.search import Search
from nubbin_core.verdict import Answer, Verdict
from scale.recorded import Recorded

_COLUMNS = "case | algorithm | s a query | workers | half gone | h:min:s | speed-up | of W | asked"


def experiment(
    cases: Path,
    *,
    case: Sequence[str],
    algorithm: Sequence[str] = ("auto",),
    workers: Sequence[int] = (1, 2, 4, 8, 16, 64, 256),
    seconds: Sequence[float] = (0.05, 0.5, 5),
    records: Path = Path("build/scale"),
) -> Iterator[Table]:
    def rows() -> Iterator[list[object]]:
        for name, start in itertools.product(case, algorithm):
            run = (records / f"{name}-{start.replace(':', '-')}").absolute()
            recorded = Recorded.of(Case.load(cases / name), start, run)
            for each in seconds:
                first = replay(recorded, 1, each)
                for count in workers:
                    yield [name, start, f"{each:g}", *figures(first, replay(recorded, count, each))]

    columns = f"{_COLUMNS} | needed | driver, ms a query | bytes | same"
    yield Table(columns, rows(), "llrrrrrrrrrrl")


def figures(first: Ran, ran: Ran) -> list[object]:
    """Return the cells of a replay beside that with one worker."""
    gain = first.seconds / ran.seconds
    times = clock_time(ran.reached), clock_time(ran.seconds)
    speed = f"{gain:.1f}", f"{gain / ran.workers:.2f}"
    asked = ran.asked, ran.needed, f"{1e3 * ran.driver / ran.asked:.1f}"
    same = "yes" if ran.data == first.data else "NO"
    return [ran.workers, *times, *speed, *asked, len(ran.data), same]


def clock_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


@dataclass(frozen=True)
class Ran:
    """A simulated run: virtual seconds, also of the driver and until enough was gone; queries."""

    workers: int
    reached: float
    seconds: float
    driver: float
    asked: int
    needed: int
    data: bytes


def replay(recorded: Recorded, workers: int, seconds: float) -> Ran:
    """Replay on simulated workers; a query takes `seconds` on average."""
    job = recorded.job
    start = LastElement.of(job.algorithm.load())
    plan = Plan(job.passes(), partial(PassProblem, start_on=start, settings=job.settings))
    return simulated(job.original, plan, recorded.answer, workers, seconds)


def simulated(
    original: Document,
    plan: Plan,
    answer: Callable[[Document], tuple[Verdict, float]],
    workers: int,
    seconds: float,
    *,
    share: float = 0.5,
) -> Ran:
    """Reduce on simulated workers; `answer` says how many times `seconds` a query takes.

    Also measures when no more than a `share` of the original is left.
    """
    clock = Clock()
    pool = SimulatedWorkers(workers, clock, answer, seconds)
    needed, reached = 0, 0.0

    def count(event: Event) -> None:
        nonlocal needed, reached
        needed += isinstance(event, Answered)
        if isinstance(event, Improved) and event.document.extent <= share * original.extent:
            reached = reached or clock.now

    test = FlakyAwareTest(pool.ask, original, {}, pool=pool)
    reducer = Reducer(plan, Search(test, pool=pool), test, count)
    with (
        patch("nubbin_core.search.speculation.time", pool),
        patch("nubbin_core.search.confirmation.time", pool),
    ):
        list(pool.each(test.run, (original, original, original.emptied())))
        ended = reducer.run()
    clock.tick()
    (file,) = ended.document.files
    return Ran(workers, reached, clock.now, clock.driver, pool.asked, needed, file.data)


@dataclass
class Clock:
    """Virtual time: the processor time of the driver, and jumps to the ends of queries."""

    now: float = 0.0
    driver: float = 0.0
    _seen: float = field(default_factory=time.thread_time)

    def tick(self, *, counts: bool = True) -> None:
        """Add the processor time since the last tick, or skip it."""
        before, self._seen = self._seen, time.thread_time()
        if counts:
            self.now += self._seen - before
            self.driver += self._seen - before


class SimulatedWorkers(Pool):
    """An executor that knows each answer at once, and gives it when virtual time has come."""

    def __init__(
        self,
        workers: int,
        clock: Clock,
        answer: Callable[[Document], tuple[Verdict, float]],
        scale: float,
    ):
        super().__init__(workers)
        self._clock = clock
        self._answer = answer
        self._scale = scale
        self._due: list[tuple[float, int, Future[Any], Any]] = []
        self._spent = 0.0  # by all runs so far
        self._submitted = 0
        self.asked = 0

    def ask(self, document: Document) -> Answer:
        verdict, seconds = self._answer(document)
        self._spent += self._scale * seconds
        self.asked += 1
        return Answer(verdict, self._scale * seconds, None, False)

    def perf_counter(self) -> float:
        """Stand in for the clock by which one run of the test is timed."""
        return self._spent

    monotonic = perf_counter

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Make a call that begins as soon as a worker is idle."""
        self._clock.tick()
        before = self._spent
        result = fn(*args, **kwargs)
        self._clock.tick(counts=False)
        self._submitted += 1
        future = _Due(self)
        self._due = [each for each in self._due if not each[2].cancelled()]
        heapq.heapify(self._due)
        ends = sorted(each[0] for each in self._due)
        begins = self._clock.now if len(ends) < self.width else ends[-self.width]
        due = begins + self._spent - before
        heapq.heappush(self._due, (due, self._submitted, future, result))
        return future

    def wait(self, calls: Collection[Call[Any]]) -> None:
        """Let virtual time pass until the next call is done."""
        self._clock.tick()
        woken = False
        while self._due and (not woken or self._due[0][0] <= self._clock.now):
            due, _number, future, result = heapq.heappop(self._due)
            if not future.cancelled():
                self._clock.now = max(self._clock.now, due)
                future.set_result(result)
                woken = True


class _Due(Future[Any]):
    """A call that is over when virtual time has come."""

    def __init__(self, workers: SimulatedWorkers):
        super().__init__()
        self._workers = workers

    def result(self, timeout: float | None = None) -> Any:
        """Let virtual time pass until the call is over."""
        while not self.done():
            self._workers.wait([self])
        return super().result(timeout)
