"""May the file or folder at the place of a result be replaced? Only if nubbin wrote it."""

from __future__ import annotations

import os
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.file import File, Link
from nubbin.journal import reading
from nubbin.journal.mark import check_own, opened
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.run_folders import folders_in
from nubbin.oracles.isolation.candidate_files import Origin
from nubbin.reduction.result.contents import Contents, document_of
from nubbin_core.errors import NubbinError


def check_replaceable(place: Path, found: Contents | None) -> None:
    """Raise NubbinError if `found`, at a place, is not the unchanged result of a recorded run."""
    if not is_replaceable(place, found):
        raise NubbinError(
            f"There is something at {place} already that is not the result of a recorded run, or "
            "was changed since. nubbin does not replace it. Move it away, or name another place "
            "for the result with --output."
        )


def is_replaceable(place: Path, found: Contents | None, run: Path | None = None) -> bool:
    """Tell whether a recorded run has what was `found` at a place, so that nothing is lost.

    The run is `run`, or one beside the place, in a folder that is the user's alone; and its journal
    has each byte, so the user can have them back. Of a readable copy it has the key alone, which
    has to bear the user's mark.
    """
    return found is None or (None not in found.values() and _is_recorded(place, found, run))


def _is_recorded(place: Path, found: Contents, run: Path | None) -> bool:
    runs = folders_in(place.parent)
    if run is not None:
        runs.append(run)
    for each in runs:
        try:
            opened(each).close()
            with reading.reading(each) as store:
                facts = reading.facts(store, each)
                document = _read_back(place, found, facts, each)
                # Killed while the place was replaced, a run has left the candidate before its best.
                numbers = [
                    row.number for row in reading.accepted(store, each) if row.key == document.key
                ]
            if numbers:
                reading.candidate(each, numbers[0])  # raises if it has the key, and not the bytes
                return True
            if facts.pretty == document.key.hex():
                if each != run:
                    check_own(each)
                return True
        except (NubbinError, OSError):
            continue
    return False


def _read_back(place: Path, found: Contents, facts: RunFacts, run: Path) -> Document:
    """Return the document that a run has written to a place: with links as in its input."""
    document = document_of(facts.name, found)
    if not any(file.is_link for file in document.files):
        return document
    first = reading.candidate(run, 1)
    origin, at = Origin(facts.root, facts.name), os.fspath(place.absolute())

    def as_in_input(file: File) -> File:
        before = first.get(file.path)
        if isinstance(before, Link) and file.is_link:
            written = os.fsencode(origin.target_at(at, file.path, before))
            return file.with_data(before) if written == bytes(file.data) else file
        return file

    return document.each(as_in_input)
