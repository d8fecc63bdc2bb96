"""Record the oracles of real reductions, for nubbin_bench/oracles.

    bench/run.py studies/record_oracles CASES --suite NAME[=GLOB] [--framework hdd] [--seconds N]
    bench/run.py studies/record_oracles CHECKOUT --artifact --suite paper-xml

Reduces each case by CDD. On each list of it of 2 to 150 elements, all other algorithms are run as
well, and every subset of a list of up to 7 is asked about. The questions and answers are added to
the folder. A case of which the folder has problems is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import product
from math import inf
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from nubbin import Verdict
from nubbin.research import Document, PassProblem, Schedule
from nubbin_bench import provenance
from nubbin_bench.cases import Case
from nubbin_bench.csv_rows import load, save
from nubbin_bench.frameworks import pass_of
from nubbin_bench.lists import drive
from nubbin_bench.oracle import CachedOracle
from nubbin_bench.recorded import FOLDER, SCHEMA, Recorded
from nubbin_bench.studied import PROGRAMS, STUDIED
from nubbin_bench.suites import P0, from_artifact
from nubbin_bench.suites import cases as cases_of
from nubbin_core.minimizers import Minimizer, Settings, Subset
from nubbin_core.minimizers.wrappers import Backward

MIN_ELEMENTS, MAX_ELEMENTS, MAX_COMPLETE = 2, 150, 7
CACHE = Path.home() / ".cache/nubbin/bench.sqlite"

#: Quadratic ones are left out, and what asks as another does.
_LEFT_OUT = {"exhaustive", "greedy", "heavy-first", "waves"}
_FROM_END = ("cdd", "ddmin", "lithium", "probdd")
NAMES = {
    **{name: start for name, start in (STUDIED | PROGRAMS).items() if name not in _LEFT_OUT},
    **{f"{name}-from-end": Backward.of(STUDIED[name]) for name in _FROM_END},
}

Key = tuple[int, ...]


class Recording:
    """The answers about one list: each subset is asked about once."""

    def __init__(self, problem: PassProblem, oracle: CachedOracle) -> None:
        self.answers: dict[Key, tuple[bool, float]] = {}
        self.by: dict[Key, set[str]] = {}
        self._problem, self._oracle = problem, oracle

    def __call__(self, kept: Subset, name: str) -> bool:
        """Ask the test, for an algorithm."""
        key = tuple(kept.bounds.tolist())
        if key not in self.answers:
            self.answers[key] = self._asked(kept)
        self.by.setdefault(key, set()).add(name)
        return self.answers[key][0]

    def _asked(self, kept: Subset) -> tuple[bool, float]:
        document = self._problem.render(kept)
        if not self._problem.is_plausible(kept, document):
            return len(kept) == self._problem.schedule.proposal.size, 0.0
        answer = self._oracle.peek(document)
        return answer.verdict is Verdict.INTERESTING, answer.seconds


def recorded(
    suite: str, case: Case, framework: str, seconds: float, cache: Path
) -> Iterator[tuple[Recorded, Recording]]:
    """Yield the problems of a case, as long as the time lasts."""
    until, data, p0 = time.monotonic() + seconds, case.input.read_bytes(), P0.get(suite, 0.1)
    document = Document.single(case.input.name, data)
    schedule = Schedule.begin([pass_of(framework, case, document)], document)
    problem = PassProblem(schedule, STUDIED["cdd"], Settings(p0)) if schedule else None
    digest, at = sha256(data).hexdigest(), 0
    with CachedOracle(case, cache, timeout=60, limit=inf) as oracle:
        while problem is not None and time.monotonic() < until:
            n = problem.schedule.proposal.size
            recording = Recording(problem, oracle)

            def run(name: str, recording: Recording = recording, n: int = n) -> Minimizer:
                start = NAMES[name](Subset.full(n), Settings(p0))
                return drive(start, lambda kept: recording(kept, name))[0]

            end = run("cdd")
            if MIN_ELEMENTS <= n <= MAX_ELEMENTS:
                recording(Subset.full(n), "input")
                for name in NAMES:
                    run(name)
                if n <= MAX_COMPLETE:
                    for chosen in product([False, True], repeat=n):
                        recording(Subset.of(i for i in range(n) if chosen[i]), "all")
                about = Recorded(
                    f"{case.name}/{at}",
                    case.name,
                    case.defect or case.name,
                    framework,
                    at,
                    n,
                    p0,
                    n <= MAX_COMPLETE,
                    digest,
                    provenance.commit(),
                )
                yield about, recording
            problem, at = problem.after(end), at + 1


def experiment(
    cases: Path,
    *,
    suite: Sequence[str],
    artifact: bool = False,
    framework: str = "picireny",
    seconds: float = 600.0,
    cache: Path = CACHE,
    folder: Path = FOLDER,
) -> Iterator[str]:
    if artifact:
        found = from_artifact(cases, suite, folder)
    else:
        found = [(name, case) for name in suite for case in cases_of(cases, name)]
    for name, case in found:
        there = list(load(folder / "problems.csv", Recorded))
        if isinstance(case, Case) and case.name not in {each.case for each in there}:
            new = list(recorded(name, case, framework, seconds, cache))
            add(folder, there, new)
            yield f"{case.name}: {len(new)} problems of {MIN_ELEMENTS} to {MAX_ELEMENTS} elements"


def add(folder: Path, there: list[Recorded], new: list[tuple[Recorded, Recording]]) -> None:
    """Add problems to a folder."""
    rows = [
        {
            "problem": about.problem,
            "bounds": key,
            "interesting": interesting,
            "seconds": seconds,
            "by": sorted(recording.by[key]),
        }
        for about, recording in new
        for key, (interesting, seconds) in recording.answers.items()
    ]
    path = folder / "answers.parquet"
    tables = [pq.read_table(path)] if path.exists() else []
    tables.append(pa.Table.from_pylist(rows, schema=SCHEMA))
    whole = pa.concat_tables(tables).unify_dictionaries()
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(whole, path.with_suffix(".part"), compression="zstd")
    path.with_suffix(".part").replace(path)
    save(folder / "problems.csv", Recorded, [*there, *(about for about, _ in new)])
