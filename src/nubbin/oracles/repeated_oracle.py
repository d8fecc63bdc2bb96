"""A test that is run several times: one interesting run is enough."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.verdict import Verdict


class RepeatedOracle:
    """Asks another oracle up to `runs` times, until a candidate is interesting.

    A bug that shows with probability p in each run is seen with probability 1 - (1 - p)^runs.
    """

    def __init__(self, oracle: Oracle, runs: int):
        self._oracle = oracle
        self._runs = runs

    def __call__(self, files: Files) -> Answer:
        """Return the answer of the last run."""
        return self._first_interesting(lambda: self._oracle(files))

    def explain(self, files: Files) -> Answer:
        """Return the answer of the last run, with what the test prints."""
        return self._first_interesting(lambda: self._oracle.explain(files))

    def _first_interesting(self, ask: Callable[[], Answer]) -> Answer:
        answer = ask()
        for _ in range(self._runs - 1):
            if answer.verdict is Verdict.INTERESTING:
                break
            answer = ask()
        return answer
