"""A job, and what it gives: one row of the raw results."""

from __future__ import annotations

from dataclasses import dataclass

from nubbin.research import Algorithm
from nubbin_bench.cases import Case

#: The version of the columns of `Row`. Rows of version 1 have nothing from `schema` on; the file
#: environment.json beside them says what they were made with. Rows of version 2 have no tokens by
#: the paper's rule, rows of version 3 no `source` and no `halvings`, rows of version 4 no `asks`.
#: The `defect` of rows up to version 5 was filled in later.
SCHEMA = 6

#: The end of a run that no limit cut.
FIXPOINT = "fixpoint"

#: Zhang et al., section IV-F.
KINDS = ("complement", "revisit", "other")


@dataclass(frozen=True, slots=True)
class Job:
    """One run to make. `max_time` is in seconds of the test, as recorded."""

    suite: str
    case: Case
    framework: str
    algorithm: Algorithm
    seed: int
    p0: float
    max_queries: int
    max_time: float
    timeout: float
    """Seconds of one run of the test."""

    @property
    def key(self) -> tuple[str, ...]:
        """The key of its row."""
        named = (self.case.name, self.framework, self.algorithm.title)
        return (*named, str(self.seed), str(self.p0))


@dataclass(frozen=True, slots=True)
class Row:
    """What a run gave.

    `spared` are the attempts that cost no query, because the grammar refused them. `seconds` are
    those of the test; `own` are the processor seconds of everything else. For each kind there are
    the queries asked, and those that succeeded. `end` is `fixpoint`, `max-queries` or `max-time`;
    `checked` tells whether the result passed the test when it was run again.

    The next four count lists that were minimized by algorithms without a promise of 1-minimality
    (inside hdd, first seed): all of them (`lists`), those of which single elements could still go
    (`loose`), such elements (`removable`), and such lists in the last lap, which changed nothing
    (`loose_last`).

    The next are what it was made with: the version of these columns, the commit, the versions of
    what it uses, the machine, when it began, the limits (`timeout` is that of one run of the test,
    in seconds), the SHA-256 of the input, the fingerprint of the test and its tools
    (`Case.digest`), and the version of an algorithm that is not nubbin's own (`Algorithm.source`).
    `halvings` tells how the size fell (halvings.py). The tokens after that are those that the paper
    counts, in C and XML (paper_tokens.py). `asks` are the questions of
    the algorithm, also those that it asked before, which cost no query here. `defect` is what the
    case shows (`Case.defect`).
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

    schema: int = 1
    commit: str = ""
    versions: str = ""
    machine: str = ""
    date: str = ""
    max_queries: int = 0
    max_time: float = 0.0
    timeout: float = 0.0
    input: str = ""
    test: str = ""
    source: str = ""
    halvings: str = ""
    paper_tokens_before: int | None = None
    paper_tokens: int | None = None
    asks: int | None = None
    defect: str = ""

    @property
    def attempts(self) -> int:
        """Queries, and candidates that would have been queries without a grammar."""
        return self.queries + self.spared

    @property
    def outcome(self) -> tuple[str, int, int, int]:
        """What must be the same if the run is made again, to the end, with the same test."""
        return (self.input, self.queries, self.tokens, self.bytes)

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies the run."""
        return (self.case, self.framework, self.algorithm, str(self.seed), str(self.p0))
