"""`nubbin show`: reads or writes a candidate that a recorded run accepted."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath

from nubbin.documents.document import Document
from nubbin.journal.mark import check_own
from nubbin.journal.reading import DamagedJournal, candidate, facts_of
from nubbin.reduction.job import Job
from nubbin.reduction.result.best import Best
from nubbin.reduction.result.output_path import check_result_place
from nubbin_core.errors import NubbinError


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
    with Best(root or output.parent, output) as place:
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
