"""The tally of a run: figures for its readers, besides verdicts and accepted candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from nubbin.journal.schema import Natural, Number, Seconds


@dataclass(slots=True)
class PassTally:
    """The lists that a pass has proposed so far, and their queries.

    `seconds` is the time of the runs that answered these queries.
    """

    name: str
    lists: Natural = 0
    queries: Natural = 0
    interesting: Natural = 0
    unresolved: Natural = 0
    seconds: Seconds = 0.0


@dataclass(slots=True)
class ListTally:
    """The current list: its pass, its elements, those that are still kept, and its queries."""

    pass_name: str
    elements: Natural
    kept: Natural
    queries: Natural = 0


@dataclass(frozen=True, slots=True)
class RunTally:
    """A current run of the test: when it began, in seconds since 1970, and the candidate's bytes.

    In a cluster, a run begins when the candidate is sent.
    """

    begun: Seconds
    bytes: Natural


@dataclass(slots=True)
class Tally:
    """A reduction in figures, `at` a time in seconds since 1970.

    `seconds` is how long all its sessions took together, and `jobs` how many tests may run at once.
    `passes` are in the order of their first lists. `at_work` is None before the first list. `kinds`
    has, for each kind of query, the numbers of all queries and of the interesting ones.
    """

    at: Seconds = 0.0
    seconds: Seconds = 0.0
    jobs: Number = 1
    is_paused: bool = False
    at_work: ListTally | None = None
    passes: list[PassTally] = field(default_factory=list)
    kinds: dict[str, Annotated[list[Natural], Meta(min_length=2, max_length=2)]] = field(
        default_factory=dict
    )
    runs: list[RunTally] = field(default_factory=list)

    @property
    def queries(self) -> int:
        """The queries of all passes."""
        return sum(each.queries for each in self.passes)
