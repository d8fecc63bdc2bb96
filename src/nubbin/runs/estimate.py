"""Estimate how many queries remain, from an earlier run of the same input and test."""

from __future__ import annotations

from nubbin.journal.run_folders import folders_in
from nubbin.runs.ends import end_of
from nubbin.runs.recorded_run import RecordedRun
from nubbin_core.errors import NubbinError


def estimate(run: RecordedRun) -> int | None:
    """Return the queries of the last complete run beside this one that is like it; None if none is.

    It must have the same input, test and options, and both must be undisturbed. Then the queries
    will be the same, unless the test is flaky. There is no other estimate: the number of queries
    depends on the input, and the first phases do not predict the last.
    """
    found: list[tuple[float, int]] = []
    for folder in folders_in(run.folder.parent.parent):
        try:
            earlier = RecordedRun.open(folder)
        except NubbinError:
            continue
        if (
            end_of(earlier.facts.ended or "").is_done
            and earlier.facts.is_undisturbed
            and earlier.tally is not None
            and earlier.steps[0].key == run.steps[0].key
            and earlier.facts.is_same_job(run.facts)
            and folder.resolve() != run.folder.resolve()
        ):
            found.append((earlier.begun, earlier.tally.queries))
    return max(found, key=lambda each: each[0])[1] if found else None
