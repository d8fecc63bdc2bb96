"""How much remains of a run? Known only if the same was reduced before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.journal.facts import RunFacts
from nubbin.journal.history import History
from nubbin.journal.runs import folders_in
from nubbin.oracles.errors import NubbinError


@dataclass(frozen=True, slots=True)
class Estimate:
    """The queries that an earlier run of the same input and test took to its end."""

    run: str
    queries: int


def estimate(run: Path, facts: RunFacts, original: bytes) -> Estimate | None:
    """Return what the last whole run beside this one took, of the same `original`; None for none.

    The test, by its digest, and all options must be the same, and both must be undisturbed. Then
    the queries will be the same, unless the test is flaky. `original` is a document's key. There is
    no other estimate: nobody knows how many queries an input takes, and the pace of the first
    phases says nothing of the last.
    """
    found: list[tuple[float, Estimate]] = []
    for folder in folders_in(run.parent.parent):
        try:
            earlier = History.of(folder)
        except NubbinError:
            continue
        if (
            earlier.facts.ended == "fixpoint"
            and earlier.facts.is_undisturbed
            and earlier.tally is not None
            and earlier.accepted[0].key == original
            and facts.is_same_job(earlier.facts)
            and folder.resolve() != run.resolve()
        ):
            begun = earlier.accepted[0].at
            found.append((begun, Estimate(folder.name, earlier.tally.queries)))
    return max(found, key=lambda each: each[0])[1] if found else None
