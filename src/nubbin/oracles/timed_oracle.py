"""The base of the oracles here and elsewhere: a time limit, fixed or learned."""

from __future__ import annotations

from abc import ABC, abstractmethod

from nubbin.oracles.candidate_files import Files
from nubbin.oracles.oracle import Answer
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict


class TimedOracle(ABC):
    """An oracle with a time limit for its queries.

    `timeout` is a number of seconds, None for no limit, or a `Timeout`, which learns from
    interesting runs.
    """

    def __init__(self, timeout: Timeout | float | None):
        self._timeout = timeout

    @abstractmethod
    def ask(self, files: Files, limit: float | None, *, explain: bool = False) -> Answer:
        """Run the test on a candidate, for at most `limit` seconds (None: no limit).

        With `explain`, keep the beginning and the end of what the test prints, 64 KiB in all.
        """

    def __call__(self, files: Files) -> Answer:
        """Run the test on a candidate; what it prints is dropped."""
        return self._ask_in_time(files, explain=False)

    def explain(self, files: Files) -> Answer:
        """As a call, and keep the beginning and the end of what the test prints, 64 KiB in all."""
        return self._ask_in_time(files, explain=True)

    def _ask_in_time(self, files: Files, *, explain: bool) -> Answer:
        timeout = self._timeout
        if not isinstance(timeout, Timeout):
            return self.ask(files, timeout, explain=explain)
        answer = self.ask(files, timeout.limit, explain=explain)
        if answer.verdict is Verdict.INTERESTING and not answer.cold:
            timeout.learn(answer.seconds)
        return answer
