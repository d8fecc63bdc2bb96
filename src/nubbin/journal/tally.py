"""The tally of a run: what a reader sees of it besides verdicts and accepted candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(slots=True)
class PassTally:
    """What a pass has asked so far: the lists that it proposed, and their queries.

    `seconds` is the time of the runs of the test that answered these.
    """

    name: str
    lists: int = 0
    queries: int = 0
    interesting: int = 0
    unresolved: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class ListTally:
    """The list at work: its pass, its elements, those still kept, and its queries so far."""

    pass_name: str
    elements: int
    kept: int
    queries: int = 0


@dataclass(frozen=True, slots=True)
class RunTally:
    """A run of the test under way: when it began, in seconds since 1970, and the candidate's bytes.

    In a cluster, it begins when the candidate is sent.
    """

    begun: float
    bytes: int


@dataclass(slots=True)
class Tally:
    """A reduction in figures, `at` a time in seconds since 1970.

    `seconds` is the time that it was under way, of all its parts together, and `jobs` how many
    tests it may run at once. `passes` are in the order of their first list, and `at_work` is None
    before it. `kinds` counts queries by kind: those asked, and of these the interesting ones.
    """

    at: float = 0.0
    seconds: float = 0.0
    jobs: int = 1
    is_paused: bool = False
    at_work: ListTally | None = None
    passes: list[PassTally] = field(default_factory=list)
    kinds: dict[str, list[int]] = field(default_factory=dict)
    runs: list[RunTally] = field(default_factory=list)

    @property
    def queries(self) -> int:
        """The queries of all passes."""
        return sum(each.queries for each in self.passes)

    def to_json(self) -> dict[str, Any]:
        """Return the tally as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return a tally from JSON values; raises KeyError, TypeError or ValueError for others."""
        one = values["at_work"]
        return cls(
            **_like(cls(), {name: values[name] for name in ("at", "seconds", "jobs", "is_paused")}),
            at_work=None if one is None else ListTally(**_like(ListTally("", 0, 0), one)),
            passes=[PassTally(**_like(PassTally(""), each)) for each in values["passes"]],
            kinds={kind: [int(asked), int(yes)] for kind, (asked, yes) in values["kinds"].items()},
            runs=[RunTally(**_like(RunTally(0.0, 0), each)) for each in values["runs"]],
        )


def _like(sample: object, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values for attributes of a sample; raises TypeError for values of other types."""
    for name, value in values.items():
        is_alike = isinstance(value, type(getattr(sample, name)))
        if not is_alike or (isinstance(value, float) and not math.isfinite(value)):
            raise TypeError(f"{name} is {value!r}")
    return values
