"""Read everything that a page shows of a recorded run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal import reading
from nubbin.journal.run_facts import INPUT, SAID, DifferentFailure, different_failures_in
from nubbin.journal.schema import Ran, never_began
from nubbin.reduction.job import Job
from nubbin.reduction.recorded.proof import Proof, proof
from nubbin.reduction.result.contents import Contents, contents_at
from nubbin.report.page.weave import Texts
from nubbin.runs.recorded_run import RecordedRun
from nubbin_core.errors import NubbinError


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded run at an instant, with all that a page shows of it.

    `job` has the document from which the reduction started, and `result` is the best. `ran` are the
    runs of the test, as `RecordedRun.ran` returns them. `proof` is None if the journal's options do
    not fit its document.
    """

    run: RecordedRun
    job: Job
    result: Document
    texts: Texts
    ran: Collection[Ran]
    proof: Proof | None
    different_failures: Sequence[DifferentFailure]

    @property
    def original(self) -> Document:
        """The document from which the reduction started."""
        return self.job.original

    @classmethod
    def of(cls, folder: Path) -> Recording:
        """Read a run, under way or ended, in linear time; raises NubbinError if that fails."""
        run = RecordedRun.open(folder)
        texts, job, result = Texts(), None, None
        with reading.reading(folder) as store:
            for row, files in reading.candidates(store, folder):
                if len(run.steps) < row.number or run.steps[row.number - 1].key != row.key:
                    break  # the run was continued in the meantime
                if job is None or row.number == run.facts.first:
                    job = Job.of(run.facts, files)
                result = job.document(files).unpacked(job.depth)
                texts.add(row.number, result.data)
        if job is None or result is None:
            raise never_began(folder)
        ran = run.ran()
        found = _proof(job, result, ran)
        others = map(_with_files, different_failures_in(folder))
        failures = sorted(others, key=lambda each: (each.size, each.line))
        return cls(run, job, result, texts, ran.values(), found, failures)


def _proof(job: Job, result: Document, ran: Mapping[bytes, Ran]) -> Proof | None:
    try:
        return proof(job, result, ran)
    except NubbinError:
        return None


def _with_files(failure: DifferentFailure) -> DifferentFailure:
    """Return a different failure with its files; they may have been replaced in the meantime."""
    found: Contents = {}
    with suppress(OSError):
        found = contents_at(failure.folder) or {}
    files = {
        path.removeprefix(f"{INPUT}/"): data
        for path, data in sorted(found.items())
        if path.startswith(f"{INPUT}/") and data is not None
    }
    # The output of the first one in a run is not kept.
    line = failure.line or "it is not known what the test printed"
    return replace(failure, line=line, files=files, output=found.get(SAID) or b"")
