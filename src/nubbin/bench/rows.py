"""A job, and what it gives: one row of the raw results."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.bench.cases import Case

#: Zhang et al., section IV-F.
KINDS = ("complement", "revisit", "other")


@dataclass(frozen=True, slots=True)
class Job:
    """One run to make. `max_time` is in seconds of the test, as recorded."""

    suite: str
    case: Case
    framework: str
    algorithm: str
    seed: int
    p0: float
    max_queries: int
    max_time: float

    @property
    def key(self) -> tuple[str, ...]:
        """The key of its row."""
        named = (self.case.name, self.framework, self.algorithm)
        return (*named, str(self.seed), str(self.p0))


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave.

    `spared` are the attempts that cost no query, because the grammar refused them. `seconds` are
    those of the test; `own` are the processor seconds of everything else. For each kind there are
    the queries asked, and those that succeeded. `end` is `fixpoint`, `max-queries` or `max-time`;
    `checked` tells whether the result passed the test when it was run again.

    The last four count lists that were minimized by algorithms without a promise of 1-minimality
    (inside hdd, first seed): all of them (`lists`), those of which single elements could still go
    (`loose`), such elements (`removable`), and such lists in the last lap, which changed nothing
    (`loose_last`).
    """

    suite: str
    case: str
    framework: str
    algorithm: str
    seed: int
    p0: float
    tokens_before: int
    tokens: int
    bytes_before: int
    bytes: int
    queries: int
    spared: int
    seconds: float
    own: float
    complement: int
    complement_succeeded: int
    revisit: int
    revisit_succeeded: int
    other: int
    other_succeeded: int
    end: str
    checked: bool
    lists: int
    loose: int
    removable: int
    loose_last: int

    @property
    def attempts(self) -> int:
        """Queries, and candidates that would have been queries without a grammar."""
        return self.queries + self.spared

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies the run."""
        return (self.case, self.framework, self.algorithm, str(self.seed), str(self.p0))
