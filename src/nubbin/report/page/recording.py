"""All that a page tells of a recorded run, read from its journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal import history, reading
from nubbin.journal.facts import RunFacts
from nubbin.journal.history import Ran
from nubbin.journal.lock import is_held
from nubbin.journal.tables import never_began
from nubbin.journal.tally import Tally
from nubbin.oracles.errors import NubbinError
from nubbin.reduction.job import Job
from nubbin.reduction.proof import Proof, proof
from nubbin.report.page.other_bug import OtherBug, other_bugs
from nubbin.report.page.texts import Texts


@dataclass(frozen=True, slots=True)
class Step:
    """An accepted candidate, by its number in `nubbin history`; the first is the input.

    `seconds` is the time since the input was accepted in which the run was under way.
    """

    number: int
    queries: int
    seconds: float
    bytes: int
    pass_name: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded run; `state` is `running`, `died` or the reason for its end.

    `job` has the document that the reduction began with, and `result` is the best. `proof` is None
    if the journal's options do not fit its document; `tally` is as in `History`. `verdicts` counts
    candidates by verdict, `runs` all runs of the test on them.
    """

    run: Path
    state: str
    facts: RunFacts
    job: Job
    result: Document
    steps: Sequence[Step]
    texts: Texts
    proof: Proof | None
    tally: Tally | None
    verdicts: Counter[str]
    runs: int
    timed_out: int
    test_seconds: float
    other_bugs: Sequence[OtherBug]

    @property
    def original(self) -> Document:
        """The document that the reduction began with."""
        return self.job.original

    @property
    def queries(self) -> int:
        """The queries so far, those after the last step included."""
        return max(self.steps[-1].queries, self.tally.queries if self.tally else 0)

    @property
    def seconds(self) -> float:
        """The time that the run was under way, after the last step included."""
        return max(self.steps[-1].seconds, self.tally.seconds if self.tally else 0.0)

    @classmethod
    def of(cls, run: Path) -> Recording:
        """Read a recorded run, which may be under way; costs no query.

        Linear in the bytes of all accepted candidates. Raises NubbinError if it cannot be read, or
        never began.
        """
        state = "running" if is_held(run) else ""
        facts = history.facts(run)
        texts, steps = Texts(), list[Step]()
        job, result = None, None
        seconds = _Seconds(facts)
        with reading.reading(run) as store:
            for row, files in reading.candidates(store, run):
                if job is None or row.number == facts.first:
                    job = Job.of(facts, files)
                result = job.document(files).unpacked(job.depth)
                texts.add(row.number, result.data)
                past = seconds.until(row.at)
                steps.append(Step(row.number, row.queries, past, row.bytes, row.pass_name))
        if job is None or result is None:
            raise never_began(run)
        verdicts = history.verdicts(run)
        return cls(
            run=run,
            state=state or facts.ended or "died",
            facts=facts,
            job=job,
            tally=history.tally(run),
            result=result,
            steps=steps,
            texts=texts,
            proof=_proof(job, result, verdicts),
            verdicts=Counter(ran.verdict for ran in verdicts.values()),
            runs=sum(ran.runs for ran in verdicts.values()),
            timed_out=sum(bool(ran.timed_out) for ran in verdicts.values()),
            test_seconds=sum(ran.seconds for ran in verdicts.values()),
            other_bugs=tuple(other_bugs(run)),
        )


class _Seconds:
    """The time that a run was under way until each of its candidates, in seconds.

    The time from the last candidate before a break to the break is not known, and not counted.
    """

    def __init__(self, facts: RunFacts):
        self._begun = sorted(each.begun for each in facts.sessions)
        self._last: float | None = None
        self._past = 0.0

    def until(self, at: float) -> float:
        """Return the time until a candidate that was accepted then; ask for one after the other."""
        if self._last is not None:
            again = [begun for begun in self._begun if self._last < begun <= at]
            self._past += max(0.0, at - max(again, default=self._last))
        self._last = at
        return self._past


def _proof(job: Job, result: Document, verdicts: Mapping[bytes, Ran]) -> Proof | None:
    """Look the proof up; None if the document is not one for the options."""
    try:
        return proof(job, result, verdicts)
    except NubbinError:
        return None
