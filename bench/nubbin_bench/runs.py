"""One algorithm in one framework on one case, to a fixpoint, with queries counted by kind."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from nubbin import NubbinError, Verdict
from nubbin.research import (
    HDD,
    Algorithm,
    Answered,
    Budget,
    BudgetSpent,
    Document,
    PassProblem,
    Schedule,
    Search,
)
from nubbin_bench import provenance
from nubbin_bench.counted_minimizer import CountedMinimizer
from nubbin_bench.frameworks import pass_of, tokens_to_begin_with
from nubbin_bench.oracle import CachedOracle
from nubbin_bench.paper_tokens import paper_tokens
from nubbin_bench.query_log import QueryLog
from nubbin_bench.rows import FIXPOINT, KINDS, SCHEMA, Job, Row
from nubbin_bench.studied import ONE_MINIMAL
from nubbin_core.minimizers import Query, Settings, Subset


def run(job: Job, cache: Path, log: Path) -> Row:
    """Run a job; its queries are written into the folder `log`.

    Raises NubbinError if the case is not interesting to begin with, or its test cannot be run.
    """
    began, data = provenance.now(), job.case.input.read_bytes()
    original = Document.single(job.case.input.name, data)
    with CachedOracle(job.case, cache, timeout=job.timeout, limit=job.max_time) as oracle:
        if oracle.peek(original).verdict is not Verdict.INTERESTING:
            raise NubbinError("its test does not find it interesting")
        start = _start(job, original, oracle)
        under_way = _Run(job, start, oracle)
        started = time.process_time()
        end = under_way.until_done()
        own = time.process_time() - started - under_way.uncounted
        checked = oracle.run_test(under_way.document).verdict is Verdict.INTERESTING
        before, after = start.sizes, under_way.document.sizes
        counts = {kind: under_way.asked[kind] for kind in KINDS}
        counts |= {f"{kind}_succeeded": under_way.succeeded[kind] for kind in KINDS}
        loose = [(lap, count) for lap, count in under_way.loose if count]
        row = Row(
            suite=job.suite,
            case=job.case.name,
            framework=job.framework,
            algorithm=job.algorithm.title,
            seed=job.seed,
            p0=job.p0,
            tokens_before=before.tokens,
            tokens=after.tokens,
            bytes_before=before.bytes,
            bytes=after.bytes,
            queries=oracle.queries,
            spared=under_way.spared,
            seconds=round(oracle.seconds, 2),
            own=round(own, 2),
            **counts,
            end=end,
            checked=checked,
            lists=len(under_way.loose),
            loose=len(loose),
            removable=sum(count for _, count in loose),
            loose_last=sum(lap == under_way.document.key for lap, _ in loose),
            schema=SCHEMA,
            commit=provenance.commit(),
            versions=provenance.versions(),
            machine=provenance.machine(),
            date=began,
            max_queries=job.max_queries,
            max_time=job.max_time,
            timeout=job.timeout,
            input=sha256(data).hexdigest(),
            test=oracle.digest,
            paper_tokens_before=_paper_tokens(start, job),
            paper_tokens=_paper_tokens(under_way.document, job),
            source=job.algorithm.source,
            halvings=under_way.log.halvings(before.bytes),
            asks=under_way.asks,
            defect=job.case.defect,
        )
        under_way.log.write(log, row)
    return row


def _paper_tokens(document: Document, job: Job) -> int | None:
    return paper_tokens(b"".join(document.data.values()), job.case.format)


def _start(job: Job, original: Document, oracle: CachedOracle) -> Document:
    """Return the document that a run begins with, and count nothing that leads to it."""
    enough = tokens_to_begin_with(job.framework)
    if not enough:
        return original
    by_cdd = replace(job, framework=HDD, algorithm=Algorithm.named("cdd"), seed=0)
    before = _Run(by_cdd, original, oracle, enough)
    before.until_done()
    oracle.queries, oracle.seconds = 0, 0.0
    return before.document


@dataclass
class _Run:
    job: Job
    document: Document
    oracle: CachedOracle
    enough: int = 0
    """Tokens at which to stop."""
    spared: int = 0
    asks: int = 0
    uncounted: float = 0.0
    """Processor seconds spent on the search for loose elements."""
    asked: Counter[str] = field(default_factory=Counter)
    succeeded: Counter[str] = field(default_factory=Counter)
    loose: list[tuple[bytes, int]] = field(default_factory=list)
    """For each list: the document at the start of its lap, and the elements that could still go."""

    log: QueryLog = field(default_factory=QueryLog)

    def __post_init__(self) -> None:
        budget = Budget(self.job.max_queries)
        self._search = Search(self.oracle, budget=budget)
        self._kept, self._refused = Subset.full(0), set[int]()
        looks = self.job.framework.startswith(HDD) and self.job.seed == 0
        self._looks = looks and not self.enough and self.job.algorithm.name not in ONE_MINIMAL

    def until_done(self) -> str:
        """Run to the end; return its reason."""
        each = pass_of(self.job.framework, self.job.case, self.document)
        schedule = Schedule.begin([each], self.document)
        settings = Settings(self.job.p0, self.job.seed)
        begin = partial(CountedMinimizer.start, self.job.algorithm.load(), self._count)
        if schedule is None:
            return FIXPOINT
        problem: _Counted | None = _Counted(schedule, begin, settings, spare=self._spare)
        try:
            while problem is not None:
                problem = self._minimize(problem)
        except BudgetSpent as spent:
            return spent.reason
        return FIXPOINT

    def _spare(self) -> None:
        self.spared += 1

    def _count(self, answers: int) -> None:
        self.asks += answers

    def _minimize(self, problem: _Counted) -> _Counted | None:
        def accept(kept: Subset, document: Document) -> None:
            self._kept, self.document = kept, document
            if self.document.sizes.tokens <= self.enough:
                raise BudgetSpent("small enough")

        self._kept, self._refused = Subset.full(problem.schedule.proposal.size), set()
        outcome = self._search.minimize(problem, on_kept=accept, on_answered=self._note)
        if self._looks:
            started, spared = time.process_time(), self.spared
            self.loose.append(
                (problem.schedule.now.state.first.key, self._loose(outcome.kept, problem))
            )
            self.uncounted += time.process_time() - started
            self.spared = spared
        return outcome.then

    def _note(self, query: Query, answer: Answered, _: object) -> None:
        gone = self._kept.less(query.kept)
        if query.kind == "subset":  # it deletes the complement of a subset
            kind = "complement"
        else:
            kind = "revisit" if gone.digest in self._refused else "other"
        self.asked[kind] += 1
        if self.oracle.last is not None:
            self.log.queries.append((kind, self.oracle.last))
        if answer.verdict is Verdict.INTERESTING:
            self.succeeded[kind] += 1
        else:
            self._refused.add(gone.digest)

    def _loose(self, kept: Subset, problem: _Counted) -> int:
        """Return the number of single elements that could still go; asks, and counts no query."""
        found = 0
        for at in range(len(kept)):
            subset = kept.without(at, at + 1)
            candidate = problem.render(subset)
            if problem.is_plausible(subset, candidate):
                found += self.oracle.peek(candidate).verdict is Verdict.INTERESTING
        return found


@dataclass(frozen=True)
class _Counted(PassProblem):
    """A problem that counts the candidates that are not worth a query."""

    spare: Callable[[], None] = lambda: None

    def is_plausible(self, kept: Subset, candidate: Document) -> bool:
        worth_it = PassProblem.is_plausible(self, kept, candidate)
        if not worth_it:
            self.spare()
        return worth_it
