"""The proof that a result is 1-minimal: read from the journal, or made again by `nubbin verify`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.documents.replacement import Replacement
from nubbin.journal.journal import Journal
from nubbin.journal.schema import Ran
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Timeout
from nubbin.passes.folders.files import SINGLE_FILES
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import Pass
from nubbin.reduction.doors.open_doors import open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.result.contents import contents_at, contents_of
from nubbin.reduction.schedule import Schedule
from nubbin.text.differences import changed
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Subset
from nubbin_core.verdict import Verdict

#: A proof is looked up only up to this number of removals, and of bytes in their candidates.
_MAX_REMOVALS = 20_000
_MAX_BYTES = 1 << 30


def single_removals(passes: Sequence[Pass], document: Document) -> Iterator[Document]:
    """Yield a document without each single piece that the passes of the proof find in it.

    Empty files are also removed all at once, and then one by one. A part of a tree is not a piece
    if the file has new syntax errors without it. Nor is a part of a container's member if the
    container is packed as before without it.
    """
    schedule = Schedule.begin([each for each in passes if each.piece], document)
    while schedule is not None:
        proposal = schedule.proposal
        everything = Subset.full(proposal.size)
        for at in range(len(everything)):
            kept = everything.without(at, at + 1)
            candidate = proposal.render(kept)
            if proposal.is_plausible(kept, candidate) and candidate.key != document.key:
                yield candidate
        schedule = schedule.after(document)


def pieces_of(passes: Sequence[Pass], document: Document) -> tuple[str, ...]:
    """Return the names of the pieces that single removals remove: `a file`, `a character`."""
    pieces: list[str] = []
    for each in passes:
        if each is SINGLE_FILES:
            pieces += _files_of(document)
        # In a folder, a pass may apply to none of the files.
        elif each.piece and (document.is_single or next(each.propose(document), None)):
            pieces.append(each.piece)
    return tuple(dict.fromkeys(pieces))


def _files_of(document: Document) -> list[str]:
    if not document.containers:
        return ["a file"]
    is_container = document.packed.is_single
    return ["a member of the container"] if is_container else ["a file", "a member of a container"]


@dataclass(frozen=True, slots=True)
class Removal:
    """The removal of one piece from a file of a result, or of the whole file, and its verdict.

    `ran` is None if there was no run: none was needed, or the reduction has not reached it yet.
    """

    path: str
    part: Replacement
    ran: Ran | None
    needs_run: bool
    is_whole: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether the result needs the piece."""
        return self.ran.verdict is not Verdict.INTERESTING if self.ran else not self.needs_run


@dataclass(frozen=True, slots=True)
class Proof:
    """The single removals from a result; not `whole` if there are too many to look up.

    `pieces` are as `pieces_of` returns them.
    """

    removals: tuple[Removal, ...]
    whole: bool
    pieces: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the result is 1-minimal: there are removals, and all were refused."""
        return self.whole and bool(self.removals) and all(r.is_refused for r in self.removals)


def proof(job: Job, result: Document, verdicts: Mapping[bytes, Ran]) -> Proof:
    """Look up each removal that proves a result of a job 1-minimal; costs no query.

    `job` has the document that the reduction began with. Linear in the removals times the bytes,
    up to a limit. Raises NubbinError if the job's options do not fit its document.
    """
    is_allowed = job.protection().is_allowed
    found: list[Removal] = []
    made = 0
    guard = Guard()
    with parsing(), open_doors(job.options, guard) as doors:
        # Members of a container may have other names when it is read again.
        asked = replace(job, original=result) if result.containers else job
        passes = asked.passes(guard, doors)
        pieces = pieces_of(passes, result)
        for candidate in single_removals(passes, result):
            made += candidate.extent
            if len(found) == _MAX_REMOVALS or made > _MAX_BYTES:
                return Proof(tuple(found), False, pieces)
            path, part = _removed(result, candidate, found[-1] if found else None)
            needs_run = candidate.can_be_packed and is_allowed(candidate)
            ran = verdicts.get(candidate.key)
            found.append(Removal(path, part, ran, needs_run, path not in candidate.data))
    return Proof(tuple(found), guard.could_prove(passes, result), pieces)


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
    """What is still true of a result, by new runs of the test.

    `unchanged`: the file is as the reduction left it. `interesting`: the test accepts it. Of the
    single `removals`, the test rejects `refused`; `pieces` are as `pieces_of` returns them.
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

    Costs a run for the result, and one for each file and each piece of the finest grain. Raises
    NubbinError if there is no such run or no result, or if another user recorded the run, unless
    the caller has `trust` in it.
    """
    with Journal(run, trust=trust) as journal:
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
        LocalOracle(job.oracle_spec, Timeout()) as command,
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
