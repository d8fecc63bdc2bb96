"""A recorded reduction as an oracle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.reading import candidate
from nubbin.journal.run_facts import RunFacts
from nubbin.reduction.job import Job
from nubbin.reduction.reduce import reduce
from nubbin_bench.cases import Case
from nubbin_core.verdict import Verdict


class Recorded:
    """The verdicts and seconds of a real run, by candidate.

    A candidate that the run did not ask about is answered with no, after the mean time.
    """

    def __init__(self, run: Path):
        facts = RunFacts.from_json(json.loads((run / "facts.json").read_text()))
        self.job = Job.of(facts, {facts.name: (run / facts.name).read_bytes()})
        rows = json.loads((run / "verdicts.json").read_text())
        mean = sum(seconds for _, _, seconds in rows) / len(rows)
        self._known = {bytes.fromhex(key): (Verdict(verdict), s / mean) for key, verdict, s in rows}
        self._known[self.job.original.key] = Verdict.INTERESTING, 1.0

    @classmethod
    def of(cls, case: Case, algorithm: str, run: Path) -> Recorded:
        """Return the record in the folder `run`; reduce the case first if there is none."""
        if not (run / "verdicts.json").exists():
            run.mkdir(parents=True, exist_ok=True)
            source = Path(shutil.copy(case.input, run))
            reduce(case.test, source, algorithm=algorithm, record=run, jobs=1)
            with Journal(run) as journal:
                ran = journal.ran().values()
                rows = [(each.key.hex(), each.verdict.value, each.seconds) for each in ran]
                assert journal.facts is not None
                job = Job.of(journal.facts, candidate(run, 1)).facts()
                facts = {**job, "original": journal.facts.original}
                (run / "facts.json").write_text(json.dumps(facts))
                (run / "verdicts.json").write_text(json.dumps(rows))
        return cls(run)

    def answer(self, document: Document) -> tuple[Verdict, float]:
        """Return the verdict, and how long it took as a multiple of the mean."""
        return self._known.get(document.key, (Verdict.UNINTERESTING, 1.0))
