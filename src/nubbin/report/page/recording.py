"""Read everything that a page shows of a recorded run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal import reading
from nubbin.journal.other_bugs import INPUT, OTHER_BUGS, OUTPUT
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.schema import Ran, never_began
from nubbin.journal.tally import Tally
from nubbin.oracles.failures.failure import line_of
from nubbin.reduction.job import Job
from nubbin.reduction.recorded.proof import Proof, proof
from nubbin.reduction.result.contents import contents_at
from nubbin.report.page.weave import Texts
from nubbin.runs.recorded_run import RecordedRun
from nubbin.runs.steps import Step
from nubbin_core.errors import NubbinError


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded run at an instant; see `RecordedRun` for fields that are not explained here.

    `job` has the document from which the reduction started, and `result` is the best. `proof` is
    None if the journal's options do not fit its document. `verdicts` counts candidates by verdict,
    and `runs` counts the runs on them.
    """

    run: Path
    state: str
    facts: RunFacts
    job: Job
    result: Document
    steps: Sequence[Step]
    queries: int
    seconds: float
    texts: Texts
    proof: Proof | None
    tally: Tally | None
    verdicts: Counter[str]
    runs: int
    timed_out: int
    test_seconds: float
    other_bugs: Sequence[ShownBug]

    @property
    def original(self) -> Document:
        """The document from which the reduction started."""
        return self.job.original

    @classmethod
    def of(cls, run: Path) -> Recording:
        """Read a recorded run, which may be under way; costs no query.

        Takes time linear in the bytes of all accepted candidates. Raises NubbinError if the run
        cannot be read, or never began.
        """
        read = RecordedRun.open(run)
        texts, job, result = Texts(), None, None
        with reading.reading(run) as store:
            for row, files in reading.candidates(store, run):
                if len(read.steps) < row.number or read.steps[row.number - 1].key != row.key:
                    break  # the run was continued in the meantime
                if job is None or row.number == read.facts.first:
                    job = Job.of(read.facts, files)
                result = job.document(files).unpacked(job.depth)
                texts.add(row.number, result.data)
        if job is None or result is None:
            raise never_began(run)
        ran = read.ran()
        return cls(
            run=run,
            state=read.state,
            facts=read.facts,
            job=job,
            result=result,
            steps=read.steps,
            queries=read.queries,
            seconds=read.seconds,
            texts=texts,
            proof=_proof(job, result, ran),
            tally=read.tally,
            verdicts=Counter(each.verdict.value for each in ran.values()),
            runs=sum(each.runs for each in ran.values()),
            timed_out=sum(each.timed_out for each in ran.values()),
            test_seconds=sum(each.seconds for each in ran.values()),
            other_bugs=tuple(other_bugs(run)),
        )


def _proof(job: Job, result: Document, ran: Mapping[bytes, Ran]) -> Proof | None:
    """Return the proof; None if the document does not fit the options."""
    try:
        return proof(job, result, ran)
    except NubbinError:
        return None


@dataclass(frozen=True, slots=True)
class ShownBug:
    """Another failure: its most telling line, an input that shows it, and the output."""

    line: str
    files: dict[str, bytes]
    output: bytes


def other_bugs(run: Path) -> Iterator[ShownBug]:
    """Yield the other failures of a run that can be read, the smallest input first.

    The folder may change in the meantime.
    """
    parts = defaultdict[str, dict[str, bytes]](dict)
    with suppress(OSError):
        for path, data in (contents_at(run / OTHER_BUGS) or {}).items():
            name, _, inside = path.partition("/")
            if data is not None and not name.startswith("."):
                parts[name][inside] = data
    bugs = [_bug(files) for files in parts.values() if OUTPUT in files]
    yield from sorted(bugs, key=lambda bug: (sum(map(len, bug.files.values())), bug.line))


def _bug(files: dict[str, bytes]) -> ShownBug:
    inputs = {
        path.removeprefix(f"{INPUT}/"): data
        for path, data in sorted(files.items())
        if path.startswith(f"{INPUT}/")
    }
    # The output of the first one in a run is not kept.
    line = line_of(files[OUTPUT]) or "it is not known what the test printed"
    return ShownBug(line, inputs, files[OUTPUT])
