"""May the file or folder at the place of a result be replaced? Only if nubbin wrote it."""

from __future__ import annotations

from pathlib import Path

from nubbin.errors import NubbinError
from nubbin.journal import reading
from nubbin.journal.mark import check_own, opened
from nubbin.journal.run_folders import folders_in
from nubbin.reduction.result.contents import Contents, document_of


def check_replaceable(place: Path, found: Contents | None) -> None:
    """Raise NubbinError if `found`, at a place, is not the unchanged result of a recorded run."""
    if not is_replaceable(place, found):
        raise NubbinError(
            f"There is something at {place} already that is not the result of a recorded run, or "
            "was changed since. It is left as it is: move it away, or name another place for the "
            "result by --output."
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
                document = document_of(facts.name, found)
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
