"""Write a candidate of a recorded run, and look up or repeat the proof that it is 1-minimal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.documents.spans import Replacement
from nubbin.journal.journal import Journal
from nubbin.journal.mark import check_own
from nubbin.journal.reading import DamagedJournal, candidate, facts_of
from nubbin.journal.schema import Ran
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Timeout
from nubbin.reduction.doors.open_doors import open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.pass_problem import pieces_of, single_removals
from nubbin.reduction.result.output_path import check_result_place, contents_at, contents_of
from nubbin.reduction.result.place import ResultPlace
from nubbin.text.differences import changed
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict


def restore(run: Path, number: int | None, output: Path, *, trust: bool = False) -> Document:
    """Write an accepted candidate of a recorded run, by default the best, to a new path.

    Costs no query. The reduction may be under way, and its input gone. Raises NubbinError if there
    is no such run, no candidate of that number, something at `output` already, or if the user did
    not record the run, unless that does not matter (`trust`); OSError if it cannot be written.
    """
    if os.path.lexists(output):
        raise NubbinError(f"There is something at {output} already: move it away, or name another.")
    check_result_place(output, is_folder=True)
    if not trust:
        with suppress(DamagedJournal):  # what its facts name is not used then
            check_own(run)
    document, root = accepted_candidate(run, number)
    with ResultPlace(root or output.parent, output) as place:
        place.write(document)
    return document


def accepted_candidate(run: Path, number: int | None) -> tuple[Document, Path | None]:
    """Return a candidate, by default the best, and the input's folder; raises NubbinError."""
    files = candidate(run, number)
    try:
        job = Job.of(facts_of(run), files)
    except DamagedJournal:  # its candidates may still be whole
        return _by_its_paths(files, candidate(run, 1)), None
    return job.original, job.root


def _by_its_paths(files: dict[str, bytes], original: dict[str, bytes]) -> Document:
    first = {PurePosixPath(path).parts[0] for path in original}
    name = first.pop() if len(first) == 1 else "."
    return Document.of(name, files)


#: The most removals of a proof that are looked up, and the most bytes in their candidates.
_MAX_REMOVALS = 20_000
_MAX_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of one piece from a file of a result, or of the whole file, and its runs.

    `ran` is None if there was no run: none was needed, or the reduction has not reached it yet.
    """

    path: str
    part: Replacement
    ran: Ran | None
    needs_run: bool
    is_whole: bool = False

    @property
    def is_rejected(self) -> bool:
        """Whether the result needs the piece."""
        return self.ran.verdict is not Verdict.INTERESTING if self.ran else not self.needs_run


@dataclass(frozen=True, slots=True)
class Proof:
    """The single removals from a result, of `pieces`; not `whole` if there are too many."""

    removals: tuple[Removal, ...]
    whole: bool
    pieces: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the result is 1-minimal: there are removals, and all were rejected."""
        return self.whole and bool(self.removals) and all(r.is_rejected for r in self.removals)


def proof(job: Job, result: Document, verdicts: Mapping[bytes, Ran]) -> Proof:
    """Look up each removal that proves the result of a job 1-minimal; costs no query.

    `job` has the document with which the reduction began. Takes time linear in the removals times
    the bytes, up to a limit. Raises NubbinError if the options do not fit the document.
    """
    found: list[Removal] = []
    made = 0
    with parsing(), open_doors(job.options) as doors:
        # When a container is read again, its members may have other names.
        as_read = replace(job, original=result) if result.containers else job
        passes = as_read.passes(doors)
        pieces = pieces_of(passes, result)
        for candidate in single_removals(passes, result):
            made += candidate.extent
            if len(found) == _MAX_REMOVALS or made > _MAX_BYTES:
                return Proof(tuple(found), False, pieces)
            path, part = _removed(result, candidate, found[-1] if found else None)
            ran, needs_run = verdicts.get(candidate.key), job.allows(candidate)
            found.append(Removal(path, part, ran, needs_run, path not in candidate.data))
    return Proof(tuple(found), doors.guard.could_prove(passes, result), pieces)


def _removed(
    result: Document, candidate: Document, before: Removal | None
) -> tuple[str, Replacement]:
    """Return the file that a candidate changes, and how; `before` is the removal before it."""
    left = candidate.data
    for path, data in result.data.items():
        if left.get(path) != data:
            first = before.part.stop if before is not None and before.path == path else 0
            return path, changed(data, left.get(path, b""), first)
    return result.name, Replacement(0, 0, b"")


@dataclass(frozen=True, slots=True)
class Verification:
    """A result, checked by new runs of the test.

    `unchanged`: the file is as the reduction wrote it. `interesting`: the test accepts it. It
    rejects `refused` of the single `removals` of `pieces`.
    """

    output: Path
    unchanged: bool
    interesting: bool
    removals: int
    refused: int
    pieces: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the result is unchanged, accepted and 1-minimal."""
        return self.unchanged and self.interesting and self.refused == self.removals


def verify(run: Path, *, trust: bool = False) -> Verification:
    """Run the test again on the result of a recorded run, and on each single removal from it.

    Costs a run for the result, and one for each removal. Raises NubbinError if there is no such run
    or no result, or if another user recorded the run and `trust` is not set.
    """
    with Journal(run, trust=trust) as journal:
        job = Job.of(journal.facts, journal.best)
    found = contents_at(job.target)
    if found is None:
        raise NubbinError(f"The result of this run no longer exists: there is no {job.target}.")
    unchanged = found == contents_of(job.original, job.target, job.root)
    spec = job.oracle_spec
    with parsing(), open_doors(job.options) as doors, LocalOracle(spec, Timeout()) as command:
        passes = job.passes(doors)
        pieces = pieces_of(passes, job.original)
        interesting = command(job.original.contents).verdict is Verdict.INTERESTING
        candidates = filter(job.allows, single_removals(passes, job.original))
        verdicts = [command(each.contents).verdict for each in candidates]
    # Otherwise at least one removal was not tried.
    removals = len(verdicts) + (not doors.guard.could_prove(passes, job.original))
    refused = len(verdicts) - verdicts.count(Verdict.INTERESTING)
    return Verification(job.target, unchanged, interesting, removals, refused, pieces)
