"""Figures from the raw results: by case, means, p-values, counts of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nubbin_bench.comparisons import Comparison, compared, log_ratio
from nubbin_bench.means import geometric
from nubbin_bench.rows import FIXPOINT, KINDS, Row
from nubbin_bench.suites import ALGORITHMS, EVERY, P0, framework_in

#: In the place of a suite: all of them, in which each weighs the same.
ALL = "all"

#: A suite with fewer cases does not count among all: it would tell too little of how cases differ.
MIN_SUITE_CASES = 3


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of one framework, at the published p0."""

    rows: Sequence[Row]
    runs: Mapping[tuple[str, str], Sequence[Row]]
    """By case and algorithm: one for each seed."""
    ends: Sequence[str] = (FIXPOINT,)
    """How a run may have ended to be compared."""

    @classmethod
    def of(cls, rows: Iterable[Row], framework: str, ends: Sequence[str] = (FIXPOINT,)) -> Results:
        """Select the rows that can be compared.

        With `max-queries` among `ends`, runs are compared by what they reached with their queries.
        """
        chosen = [
            row
            for row in rows
            if row.framework == framework_in(row.suite, framework)
            and row.p0 == P0.get(row.suite, 0.1)
        ]
        runs: dict[tuple[str, str], list[Row]] = {}
        for row in chosen:
            runs.setdefault((row.case, row.algorithm), []).append(row)
        return cls(chosen, runs, ends)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that were run: those of the paper in its order, then all others."""
        names = dict.fromkeys([*ALGORITHMS, *sorted({row.algorithm for row in self.rows})])
        return [name for name in names if any(row.algorithm == name for row in self.rows)]

    @property
    def suites(self) -> list[str]:
        """The suites that were run: those of the paper in its order, then all others."""
        names = dict.fromkeys([*EVERY, *sorted({row.suite for row in self.rows})])
        return [suite for suite in names if any(row.suite == suite for row in self.rows)]

    @property
    def compared(self) -> list[str]:
        """The suites with a case that every algorithm finished."""
        return [suite for suite in self.suites if self.cases(suite)]

    @property
    def defects(self) -> dict[str, str]:
        """The defect of each case: the case itself, if nothing is known of others like it."""
        return {row.case: row.defect or row.case for row in self.rows}

    def figure(self, case: str, algorithm: str, metric: str) -> float | None:
        """Return the geometric mean over seeds; None unless all runs ended as `ends` says.

        It is None, too, if a run's row does not have the figure: tokens by the paper's rule.
        Seconds are those of the first seed, which ran beside the other algorithms, under the same
        load.
        """
        runs = self.runs.get((case, algorithm), ())
        if not runs or any(row.end not in self.ends for row in runs):
            return None
        if metric == "seconds":
            runs = [row for row in runs if row.seed == 0]
        values = [getattr(row, metric) for row in runs]
        return None if None in values else geometric(values)

    def cases(self, suite: str, algorithms: Iterable[str] = ()) -> list[str]:
        """Return the cases of a suite, or of all, that each of the algorithms finished."""
        needed = list(algorithms) or self.algorithms
        found = {row.case: row.tokens_before for row in self.rows if suite in {row.suite, ALL}}
        return [
            case
            for case in sorted(found, key=lambda case: (found[case], case))
            if all(self.figure(case, name, "tokens") is not None for name in needed)
        ]

    def mean(self, suite: str, algorithm: str, metric: str) -> float | None:
        """Return the geometric mean over the cases that every algorithm finished, if any.

        Over all suites it is the geometric mean of those of the suites.
        """
        if suite == ALL:
            means = [self.mean(each, algorithm, metric) for each in self.balanced()]
        else:
            means = [self.figure(case, algorithm, metric) for case in self.cases(suite)]
        finished = [mean for mean in means if mean is not None]
        return geometric(finished) if finished else None

    def balanced(self, algorithms: Iterable[str] = ()) -> list[str]:
        """Return the suites that count among all: those with enough cases."""
        return [
            suite for suite in self.suites if len(self.cases(suite, algorithms)) >= MIN_SUITE_CASES
        ]

    def compare(self, suite: str, one: str, other: str, metric: str) -> Comparison | None:
        """Return a comparison on the cases both finished, of a suite or of all.

        Cases whose rows are too old to have the metric are left out. None if there is no case, or,
        of all, if there is only one suite with enough cases.
        """
        suites, defects = self.balanced((one, other)) if suite == ALL else [suite], self.defects
        figures = [
            [
                (defects[case], self.figure(case, one, metric), self.figure(case, other, metric))
                for case in self.cases(each, (one, other))
            ]
            for each in suites
        ]
        samples = [
            [(defect, log_ratio(a, b)) for defect, a, b in each if a is not None and b is not None]
            for each in figures
        ]
        if suite == ALL and len(samples) < 2:
            return None
        return compared(one, other, metric, suite, samples)

    def counts(
        self, suite: str, name: str, algorithms: Iterable[str] = ()
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return the queries asked and succeeded by kind: a sum over cases, a mean over seeds.

        The cases are those that all of the algorithms finished; by default, all there are.
        """
        compared = set(self.cases(suite, algorithms))
        runs = [row for row in self.rows if row.algorithm == name and row.case in compared]
        seeds = len({row.seed for row in runs}) or 1
        asked = {kind: sum(getattr(row, kind) for row in runs) / seeds for kind in KINDS}
        succeeded = {
            kind: sum(getattr(row, f"{kind}_succeeded") for row in runs) / seeds for kind in KINDS
        }
        return asked, succeeded
