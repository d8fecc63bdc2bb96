"""What is run, and what a run gives: one row of the raw results."""

from __future__ import annotations

from dataclasses import dataclass

from cases import Case

#: Zhang et al., section IV-F.
KINDS = ("complement", "revisit", "other")


@dataclass(frozen=True, slots=True)
class Job:
    """What to run; the limits are queries, and seconds of the test as recorded."""

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
        """What tells its row from others."""
        named = (self.case.name, self.framework, self.algorithm)
        return (*named, str(self.seed), str(self.p0))


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave.

    `spared` are the attempts that cost no query, for the grammar refused them. `seconds` are
    those of the test, `own` those that everything else took of a processor. Per kind: queries
    asked, and those that succeeded. `end` is `fixpoint`, `max-queries` or `max-time`; `checked`
    whether the result passed the test afresh. Of the lists minimized by algorithms that promise
    no 1-minimality (inside hdd, first seed): how many `lists`, in how many single elements could
    still go (`loose`), how many such elements there were (`removable`), and in how many lists of
    the last lap, which changed nothing (`loose_last`).
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
        """Queries, and what would have been queries without a grammar."""
        return self.queries + self.spared

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from other rows."""
        return (self.case, self.framework, self.algorithm, str(self.seed), str(self.p0))
