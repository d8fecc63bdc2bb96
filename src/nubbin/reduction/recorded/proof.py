"""The proof that a result is 1-minimal, read from the journal without a run of the test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.documents.replacement import Replacement
from nubbin.passes.folders.files import SINGLE_FILES
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import Pass
from nubbin.reduction.doors.open_doors import open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.schedule import Schedule
from nubbin.runs.recorded_run import Ran
from nubbin.text.differences import changed
from nubbin_core.minimizers import Subset
from nubbin_core.verdict import Verdict

#: The proof of a result is looked up as far as it has no more removals, and as long as no more
#: bytes have to be made for them.
_MAX_REMOVALS = 20_000
_MAX_BYTES = 1 << 30


def single_removals(passes: Sequence[Pass], document: Document) -> Iterator[Document]:
    """Yield the document without each one of the pieces that the passes which prove find in it.

    Files that are empty go all at once as well, and then one by one. A part of a tree without which
    a file has new errors of syntax is no piece of its own. Nor is a part of a container's member
    without which the container is packed as it was.
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
    """Return what the single removals from a document are of: `a file`, `a character`."""
    pieces: list[str] = []
    for each in passes:
        if each is SINGLE_FILES:
            pieces += _files_of(document)
        # In a folder, a pass may be for none of the files.
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
    """One piece less in a file of a result, or the whole file, and what the test said of that.

    `ran` is None if the test was not asked: it did not have to be, or the run has not come so far.
    """

    path: str
    part: Replacement
    ran: Ran | None
    needs_run: bool
    is_whole: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether the result needs the piece."""
        if self.ran is None:
            return not self.needs_run
        return self.ran.verdict != Verdict.INTERESTING.value


@dataclass(frozen=True, slots=True)
class Proof:
    """The single removals from a result; not `whole` if it has too many to look up.

    `pieces` says of what they are, as `pieces_of` does.
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
