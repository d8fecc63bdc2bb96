"""A test that is run several times, and believed when it is interesting once."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.oracles.candidate_files import Files
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.oracles.verdict import Verdict


class RepeatedOracle:
    """Asks another oracle up to `runs` times, until a candidate is interesting.

    So a bug that shows in a share p of the runs is seen with probability 1 - (1 - p)^runs.
    """

    def __init__(self, oracle: Oracle, runs: int):
        self._oracle = oracle
        self._runs = runs

    def __call__(self, files: Files) -> Answer:
        """As the other oracle; the answer is that of the last run."""
        return self._first_interesting(lambda: self._oracle(files))

    def explain(self, files: Files) -> Answer:
        """As the other oracle; the answer is that of the last run."""
        return self._first_interesting(lambda: self._oracle.explain(files))

    def _first_interesting(self, ask: Callable[[], Answer]) -> Answer:
        answer = ask()
        for _ in range(self._runs - 1):
            if answer.verdict is Verdict.INTERESTING:
                break
            answer = ask()
        return answer
