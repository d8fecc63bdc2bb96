"""The history of a recorded run, for readers; the run may be under way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nubbin.journal import reading, tables
from nubbin.journal.facts import RunFacts
from nubbin.journal.tables import Accepted
from nubbin.journal.tally import Tally
from nubbin.oracles.errors import NubbinError


@dataclass(frozen=True, slots=True)
class History:
    """The facts about a run, every candidate that it accepted, and its tally.

    The tally is None if it is damaged, or the run ended before there was one.
    """

    facts: RunFacts
    accepted: tuple[Accepted, ...]
    tally: Tally | None

    @classmethod
    def of(cls, run: Path) -> History:
        """Read the history of a run; raises NubbinError if it cannot be read, or never began."""
        with reading.reading(run) as store:
            accepted = tuple(reading.accepted(store, run))
            history = cls(reading.facts(store, run), accepted, tables.tally(store))
        if not history.accepted:
            raise tables.never_began(run)
        return history


def facts(run: Path) -> RunFacts:
    """Return the facts about a run; raises NubbinError if they cannot be read, or never were."""
    with reading.reading(run) as store:
        return reading.facts(store, run)


def tally(run: Path) -> Tally | None:
    """Return the tally of a run, as `History` has it; raises NubbinError if it cannot be read."""
    with reading.reading(run) as store:
        return tables.tally(store)


def candidate(run: Path, number: int | None) -> dict[str, bytes]:
    """Return the files of an accepted candidate, by default the best.

    Linear in those up to it. Raises NubbinError if there is none of that number, or if it or one
    before it is damaged.
    """
    found: dict[str, bytes] | None = None
    with reading.reading(run) as store:
        for each, files in reading.candidates(store, run):
            if number in (None, each.number):
                found = files
            if number == each.number:
                break
    if found is None:
        raise no_candidate(run, number)
    return found


def no_candidate(run: Path, number: int | None) -> NubbinError:
    """Return the error for a candidate that a run does not have."""
    return NubbinError(
        f"The run in {run} has no candidate {'' if number is None else number}: "
        f"`nubbin history {run}` lists those it accepted."
    )


class Ran(NamedTuple):
    """What the runs of the test on one candidate came to: `yes` of `runs` were interesting.

    `seconds` and `exit_code` are those of the last run.
    """

    verdict: str
    seconds: float
    exit_code: int | None
    timed_out: bool
    yes: int
    runs: int


def verdicts(run: Path) -> dict[bytes, Ran]:
    """Return what became of each candidate that was run, by its key; damaged ones are left out.

    Raises NubbinError if there is no journal, or if it is damaged.
    """
    with reading.reading(run) as store:
        return {key: Ran(*ran) for key, *ran in tables.verdicts(store)}
