"""An oracle answers queries, within limits of time; a runner runs one kind of test for it."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Protocol

from nubbin.oracles.isolation.candidate_files import Candidate, Files
from nubbin_core.verdict import Answer, Verdict

_MIN_LIMIT_S = 1.0
_FACTOR = 10  # times the slowest interesting run


class Timeout:
    """An adaptive time limit: ten times the slowest interesting run, and at least a second.

    Until a run is interesting, the limit is `first` seconds. Later, it never decreases when
    candidates are fast. Only interesting runs count: an uninteresting one often stops early, at the
    first syntax error.

    Candidates get faster as they shrink, so a factor of ten on the slowest loses almost nothing.
    The limit is for candidates that never end, each of which costs all of it. May be shared by
    threads.
    """

    def __init__(self, first: float = 300.0):
        self._lock = threading.Lock()
        self._slowest = 0.0
        self.limit = first  # seconds that the next run may take

    def learn(self, seconds: float) -> None:
        """Learn from the time of an interesting run."""
        if seconds > self._slowest:
            with self._lock:
                self._slowest = max(self._slowest, seconds)
                self.limit = max(_MIN_LIMIT_S, _FACTOR * self._slowest)


class Oracle(ABC):
    """Answers queries, with limits: the time of a run, and the number of runs.

    `timeout` is a number of seconds, None for no limit, or a `Timeout`, which learns from
    interesting runs. A query is up to `runs` runs, until one is interesting. A failure that occurs
    with probability p in each is found with probability 1 - (1 - p)^runs.

    May be called from several threads. A query raises `concurrent.futures.CancelledError` if it was
    cancelled while it ran (see `nubbin.oracles.processes.cancellation`), and NubbinError if the
    test cannot be run.
    """

    def __init__(self, timeout: Timeout | float | None, runs: int = 1):
        self._timeout = timeout
        self._runs = runs
        self._under_way: dict[int, tuple[float, int]] = {}  # by thread

    @property
    def under_way(self) -> list[tuple[float, int]]:
        """When each running query began, in seconds since 1970, and the bytes of its candidate."""
        return sorted(self._under_way.copy().values())

    @abstractmethod
    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """Run the test on a candidate, for at most `limit` seconds (None: no limit).

        With `explain`, keep the beginning and the end of its output.
        """

    def explain(self, files: Files) -> Answer:
        """Like a call, but keep the beginning and the end of the output."""
        return self(files, explain=True)

    def __call__(self, files: Files, *, explain: bool = False) -> Answer:
        """Run the test until it is interesting, at most `runs` times; return the last answer."""
        thread, timeout = threading.get_ident(), self._timeout
        self._under_way[thread] = time.time(), sum(map(len, files.values()))
        try:
            for _ in range(self._runs):
                limit = timeout.limit if isinstance(timeout, Timeout) else timeout
                answer = self.ask(files, limit, explain=explain)
                if answer.verdict is Verdict.INTERESTING:
                    if isinstance(timeout, Timeout) and not answer.cold:
                        timeout.learn(answer.seconds)
                    break
        finally:
            del self._under_way[thread]
        return answer


class Runner(Protocol):
    """Runs a test; may be called from several threads at once."""

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once, for at most `limit` seconds (None: no limit).

        Only with `explain`, its output is needed. If the query of the thread is cancelled, returns
        early with a meaningless answer. Raises NubbinError if the test cannot be run.
        """

    def close(self) -> None:
        """Free what is kept between queries, by default nothing; called once."""
        return
