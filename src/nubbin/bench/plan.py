"""Which runs a study makes, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nubbin.bench.cases import Case
from nubbin.bench.rows import Job
from nubbin.bench.suites import P0, RANDOM, cases, framework_in

#: The short form: inputs of at most this size, seconds of the test per run, and algorithms.
_SHORT_MAX_BYTES = 50_000
_SHORT_TIME_S = 60.0
_SHORT_ALGORITHMS = ("ddmin", "probdd", "cdd", "auto")


@dataclass(frozen=True, slots=True)
class Plan:
    """The suites, frameworks and algorithms of a study, and the limits of each run.

    `p0` is as published if it is empty; `max_time` is in seconds of the test.
    """

    folder: Path
    suites: Sequence[str]
    frameworks: Sequence[str]
    algorithms: Sequence[str]
    seeds: int
    p0: Sequence[float]
    max_queries: int
    max_time: float
    max_bytes: float = float("inf")

    @classmethod
    def short(cls, plan: Plan) -> Plan:
        """Return the short form of a plan: small inputs, four algorithms, one framework."""
        return cls(
            plan.folder,
            plan.suites,
            plan.frameworks[:1],
            [name for name in plan.algorithms if name in _SHORT_ALGORITHMS],
            1,
            plan.p0,
            plan.max_queries,
            min(plan.max_time, _SHORT_TIME_S),
            _SHORT_MAX_BYTES,
        )

    def jobs(self) -> list[Job]:
        """Return all jobs, case by case, so that what is done can be compared at any time."""
        return [
            Job(suite, case, here, algorithm, seed, p0, self.max_queries, self.max_time)
            for framework in self.frameworks
            for suite, case in self._cases()
            for here in [framework_in(suite, framework)]
            for p0 in self.p0 or [P0.get(suite, 0.1)]
            for algorithm in self.algorithms
            for seed in range(self.seeds if algorithm in RANDOM else 1)
        ]

    def _cases(self) -> list[tuple[str, Case]]:
        return [
            (suite.partition("=")[0], case)
            for suite in self.suites
            for case in cases(self.folder, suite)
            if case.input.stat().st_size <= self.max_bytes
        ]
