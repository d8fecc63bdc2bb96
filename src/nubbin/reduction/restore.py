"""`nubbin restore`: any candidate that a run accepted, as it was."""

from __future__ import annotations

from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal.history import History, candidate
from nubbin.oracles.errors import WrongTest
from nubbin.reduction.best import Best
from nubbin.reduction.job import Job


def restore(run: Path, number: int | None, output: Path) -> Document:
    """Write an accepted candidate of a recorded run, by default the best, where nothing is yet.

    Asks no query; the run may be under way, and its input gone. Raises WrongTest where there is
    no such run, no candidate of that number, or something at `output` already, OSError where it
    cannot be written.
    """
    if output.exists():
        raise WrongTest(f"There is something at {output} already: move it away, or name another.")
    job = Job.of(History.of(run).about, candidate(run, number))
    Best(job.root, output).write(job.original)
    return job.original
