"""The history of a recorded run, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.reduction.job import Job
from nubbin.report.figures import count, counted
from nubbin.report.runs_table import moment
from nubbin.report.visible import printable
from nubbin.runs.recorded_run import RecordedRun


def history_lines(run: RecordedRun) -> Iterator[str]:
    """Yield lines: the options of a run, the versions that made it, and each accepted candidate.

    Raises NubbinError if the facts about the run are damaged.
    """
    facts, job = run.facts, Job.of(run.facts, {})
    given = [f"{name}={value}" for name, value in job.options.items() if value is not None]
    yield f"input: {printable(job.source)}"
    yield f"test: {printable(job.test.in_full)}, with the digest {facts.test_digest}"
    yield f"options: {printable(' '.join(given))}"
    for part in facts.sessions:
        made = f"nubbin {part.nubbin}, Python {part.python}, {part.platform}"
        yield f"from {moment(part.begun)} on: {printable(made)}"
    for each in run.steps:
        found = f"{each.pass_name}, query {count(each.queries)}" if each.pass_name else "the input"
        yield f"{each.number:6}  {counted(each.bytes, 'byte'):>19}  {printable(found)}"
