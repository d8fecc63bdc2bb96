"""`nubbin verify`: does the result of a recorded run still hold?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.parsing.trees import parsing
from nubbin.journal.journal import Journal
from nubbin.journal.schema import never_began
from nubbin.oracles.timeout import Timeout
from nubbin.passes.guard import Guard
from nubbin.reduction.doors.open_doors import open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.recorded.proof import pieces_of, single_removals
from nubbin.reduction.result.contents import contents_at, contents_of
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Verification:
    """What holds of a result, found out by running the test again.

    `unchanged`: the file is as the reduction left it. `interesting`: the test says so. Of
    `removals` single removals, of files and at the finest level, the test refused `refused`;
    `pieces` names what they are of.
    """

    output: Path
    unchanged: bool
    interesting: bool
    removals: int
    refused: int
    pieces: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether all of it does."""
        return self.unchanged and self.interesting and self.refused == self.removals


def verify(run: Path, *, trust: bool = False) -> Verification:
    """Run the test again on the result of a recorded run, and on each single removal from it.

    Costs a run of the test for the result, and one for each file and each piece of the finest
    grain. Raises NubbinError if there is no such run, or no result, or if the user did not record
    it, unless that does not matter (`trust`).
    """
    with Journal(run, trust=trust) as journal:
        if journal.facts is None:
            raise never_began(run)
        job = Job.of(journal.facts, journal.best)
    found = contents_at(job.target)
    if found is None:
        raise NubbinError(f"The result of this run is gone: there is no {job.target}.")
    unchanged = found == contents_of(job.original, job.target, job.root)
    is_allowed = job.protection().is_allowed
    removals = refused = 0
    guard = Guard()
    with (
        parsing(),
        open_doors(job.options, guard) as doors,
        job.oracle_spec.oracle(Timeout()) as command,
    ):
        passes = job.passes(guard, doors)
        pieces = pieces_of(passes, job.original)
        interesting = command(job.original.contents).verdict is Verdict.INTERESTING
        for candidate in single_removals(passes, job.original):
            if not (candidate.can_be_packed and is_allowed(candidate)):
                continue
            removals += 1
            refused += command(candidate.contents).verdict is not Verdict.INTERESTING
    removals += not guard.could_prove(passes, job.original)  # there is one that was not refused
    return Verification(job.target, unchanged, interesting, removals, refused, pieces)
