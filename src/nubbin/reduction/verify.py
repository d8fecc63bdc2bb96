"""`nubbin verify`: does what a run came to still hold?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.reading import read
from nubbin.documents.trees import parsing
from nubbin.journal.journal import Journal
from nubbin.minimizers import Subset
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.job import Job
from nubbin.reduction.schedule import first_step


@dataclass(frozen=True, slots=True)
class Verification:
    """What holds of a result: all true figures, from fresh runs of the test.

    `unchanged`: the file is what the run came to. `interesting`: the test says so. Of `removals`
    single removals at the finest level, `refused` were refused.
    """

    output: Path
    unchanged: bool
    interesting: bool
    removals: int
    refused: int

    @property
    def holds(self) -> bool:
        """Whether all of it does."""
        return self.unchanged and self.interesting and self.refused == self.removals


def verify(run: Path) -> Verification:
    """Run the test afresh on the result of a recorded run, and on each single removal from it.

    Costs a query for the result and one for each element of the finest pass. Raises WrongTest
    where there is no such run, or no result.
    """
    with Journal(run) as journal:
        job = Job.of(journal.about, journal.best)
    if not job.target.exists():
        raise WrongTest(f"The result of this run is gone: there is no {job.target}.")
    found, _ = read([job.target])
    lies = {_inside(file, found): file.data for file in found.files}
    best = {_inside(file, job.original): file.data for file in job.original.files}
    wanted = job.protection().allows
    removals = refused = 0
    with parsing(), job.post.oracle(Timeout()) as command:
        interesting = command(job.original.contents).verdict is Verdict.INTERESTING
        step = first_step(job.passes()[-1:], job.original)
        while step is not None:
            everything = Subset.full(step.proposal.size)
            for at in range(len(everything)):
                candidate = step.proposal.render(everything.without(at, at + 1))
                if wanted(candidate):
                    removals += 1
                    verdict = command(candidate.contents).verdict
                    refused += verdict is not Verdict.INTERESTING
            step = step.after(job.original)
    return Verification(job.target, lies == best, interesting, removals, refused)


def _inside(file: File, document: Document) -> Path:
    """Return where a file is in its document, whose own name a result does not have."""
    return Path(file.path).relative_to(document.name)
