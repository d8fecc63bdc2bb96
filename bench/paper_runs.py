"""One algorithm in one framework on one case: to a fixpoint, every query counted by its kind."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.minimizers import ALGORITHMS, ONE_MINIMAL, Belief, Settings, Subset
from nubbin.oracles.verdict import Verdict
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.plan import HDD
from nubbin.reduction.schedule import to_fixpoint
from nubbin.search.budget import Budget, BudgetSpent
from nubbin.search.search import Asked, Problem, Search
from paper_frameworks import pass_of, tokens_to_begin_with
from paper_oracle import CachedOracle
from paper_rows import KINDS, Job, Row


def run(job: Job, cache: Path) -> Row:
    """Run a job. Raises ValueError if the case is not interesting to begin with."""
    original = Document.single(job.case.input.name, job.case.input.read_bytes())
    with CachedOracle(job.case, cache, job.max_time) as oracle:
        if oracle.look(original)[0] is not Verdict.INTERESTING:
            raise ValueError(f"{job.case.folder.name}: its test does not find it interesting")
        start = _start(job, original, oracle)
        under_way = _Run(job, start, oracle)
        started = time.process_time()
        end = under_way.until_done()
        own = time.process_time() - started - under_way.aside
        checked = oracle.afresh(under_way.document)[0] is Verdict.INTERESTING
        before, after = start.sizes, under_way.document.sizes
        counts = {
            name: number
            for kind in KINDS
            for name, number in (
                (kind, under_way.asked[kind]),
                (f"{kind}_succeeded", under_way.succeeded[kind]),
            )
        }
        return Row(
            suite=job.suite,
            case=job.case.folder.name,
            framework=job.framework,
            algorithm=job.algorithm,
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
            loose=sum(1 for _, count in under_way.loose if count),
            removable=sum(count for _, count in under_way.loose),
            loose_last=sum(1 for lap, count in under_way.loose if count and lap == under_way.lap),
        )


def _start(job: Job, original: Document, oracle: CachedOracle) -> Document:
    """Return what a run begins with: the input, or what is left of it, uncounted."""
    enough = tokens_to_begin_with(job.framework)
    if not enough:
        return original
    before = _Run(replace(job, framework=HDD, algorithm="cdd", seed=0), original, oracle, enough)
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
    lap: int = 0
    spared: int = 0
    aside: float = 0.0
    """Processor seconds spent on looking for loose elements."""
    asked: Counter[str] = field(default_factory=Counter)
    succeeded: Counter[str] = field(default_factory=Counter)
    loose: list[tuple[int, int]] = field(default_factory=list)
    """By list: the lap it was in, and how many single elements could still go."""

    def __post_init__(self) -> None:
        budget = Budget(self.job.max_queries)
        self._search = Search(self.oracle, budget=budget, on_asked=self._note)
        self._kept, self._refused = Subset.full(0), set[int]()
        self._belief: Belief | None = None
        looks = self.job.framework.startswith(HDD) and self.job.seed == 0
        self._looks = looks and not self.enough and self.job.algorithm not in ONE_MINIMAL

    def until_done(self) -> str:
        """Run to the end and return what it was."""
        each = _Laps(pass_of(self.job.framework, self.job.case, self.document), self)
        try:
            to_fixpoint([each], self.document, self._minimize)
        except BudgetSpent as spent:
            return spent.reason
        return "fixpoint"

    def _minimize(self, each: Pass, proposal: Proposal[Document]) -> tuple[Document, bool]:
        largest = self.document.extent

        def plausible(kept: Subset, candidate: Document) -> bool:
            worth_it = candidate.extent < largest and proposal.plausible(kept, candidate)
            self.spared += not worth_it
            return worth_it

        def accept(kept: Subset) -> None:
            self._kept, self.document = kept, proposal.render(kept)
            if self.document.sizes.tokens <= self.enough:
                raise BudgetSpent("small enough")

        everything = Subset.full(proposal.size)
        settings = Settings(self.job.p0, self.job.seed, proposal.weights, self._belief)
        problem = Problem(proposal.render, lambda _, document: document.key, plausible)
        self._kept, self._refused = everything, set()
        outcome = self._search.minimize(
            ALGORITHMS[self.job.algorithm](everything, settings), problem, on_kept=accept
        )
        self._belief = outcome.learned
        if self._looks:
            started, spared = time.process_time(), self.spared
            self.loose.append((self.lap, self._loose(outcome.kept, problem)))
            self.aside += time.process_time() - started
            self.spared = spared
        return self.document, outcome.minimal

    def _note(self, asked: Asked) -> None:
        gone = self._kept.less(asked.query.kept)
        if asked.query.kind == "subset":  # what goes is the complement of what is kept
            kind = "complement"
        else:
            kind = "revisit" if gone.digest in self._refused else "other"
        self.asked[kind] += 1
        if asked.verdict is Verdict.INTERESTING:
            self.succeeded[kind] += 1
        else:
            self._refused.add(gone.digest)

    def _loose(self, kept: Subset, problem: Problem[Document]) -> int:
        """Count the single elements that could still go; asked aside, and not counted."""
        found = 0
        for at in range(len(kept)):
            subset = kept.without(at, at + 1)
            candidate = problem.render(subset)
            if problem.plausible(subset, candidate):
                found += self.oracle.look(candidate)[0] is Verdict.INTERESTING
        return found


@dataclass(frozen=True)
class _Laps:
    """A pass that counts how often it is begun."""

    each: Pass
    run: _Run

    @property
    def name(self) -> str:
        return self.each.name

    def propose(self, document: Document) -> Generator[Proposal[Document], Document, None]:
        self.run.lap += 1
        yield from self.each.propose(document)
