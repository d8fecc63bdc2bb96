"""Which runs a study makes, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nubbin.research import Algorithm
from nubbin_bench.cases import Case
from nubbin_bench.rows import Job
from nubbin_bench.suites import ALGORITHMS, P0, RANDOM, framework_in

#: The short form: inputs of at most this size, seconds of the test per run, and algorithms.
_SHORT_MAX_BYTES = 50_000
_SHORT_TIME_S = 60.0
_SHORT_ALGORITHMS = ("ddmin", "probdd", "cdd", "auto")


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases, each with its suite, frameworks and algorithms of a study, and a run's limits.

    `p0` is as published if it is empty. `max_time` is in seconds of the test, `timeout` in seconds
    of one run of the test.
    """

    cases: Sequence[tuple[str, Case]]
    frameworks: Sequence[str]
    algorithms: Sequence[Algorithm]
    seeds: int
    p0: Sequence[float]
    max_queries: int
    max_time: float
    timeout: float

    @classmethod
    def short(cls, plan: Plan) -> Plan:
        """Return the short form of a plan: small inputs, one framework, fewer algorithms.

        Of those that are run by default, it has four.
        """
        left_out = {*ALGORITHMS} - {*_SHORT_ALGORITHMS}
        return cls(
            [each for each in plan.cases if each[1].input.stat().st_size <= _SHORT_MAX_BYTES],
            plan.frameworks[:1],
            [each for each in plan.algorithms if each.name not in left_out],
            1,
            plan.p0,
            plan.max_queries,
            min(plan.max_time, _SHORT_TIME_S),
            plan.timeout,
        )

    def jobs(self) -> list[Job]:
        """Return all jobs, case by case, so that what is done can be compared at any time."""
        return [
            Job(suite, case, here, algorithm, seed, p0, *self._limits)
            for suite, case in self.cases
            for framework in self.frameworks
            for here in [framework_in(suite, framework)]
            for p0 in self.p0 or [P0.get(suite, 0.1)]
            for algorithm in self.algorithms
            for seed in range(self.seeds if algorithm.name in RANDOM else 1)
        ]

    @property
    def _limits(self) -> tuple[int, float, float]:
        return self.max_queries, self.max_time, self.timeout
