"""A job before its first query, with what earlier runs have shown of its test."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from nubbin.checks.case import NO_ANSWER, Case
from nubbin.documents.edits import Link
from nubbin.oracles.oracle import Oracle
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.start.open_job import open_workers
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer


@dataclass(frozen=True, slots=True)
class Known:
    """A job before its first query, and what is known of its test; `tell` gets the events.

    `answer` is from a run on the input, in a folder that no later run uses. If the test is a
    command without conditions, that run failed. `nothing` is the answer on an empty input, and
    `trials` are other runs on the input. Without `nothing`, a check makes all of its runs.
    """

    job: Job
    tell: Observer = lambda event: None
    answer: Answer | None = None
    nothing: Answer | None = None
    trials: Trials = field(default=Trials())

    def of_job(self, job: Job, answer: Answer | None = None) -> Self:
        """Return what is known of another job: an answer, or nothing."""
        return type(self)(job, self.tell, answer)

    @contextmanager
    def examined(self) -> Iterator[Case]:
        """In the block, have a `Case` with workers of its own; `Job.limit` is its usual limit."""
        job = replace(self.job, options=replace(self.job.options, timeout=self.job.limit))
        with open_workers(job) as workers, self.of_job(job).case(*workers) as case:
            yield case

    @contextmanager
    def case(self, oracle: Oracle, pool: Pool) -> Iterator[Case]:
        """In the block, have the test and the input as a `Case`; raises NubbinError if empty."""
        job, document = self.job, self.job.original
        if not any(data for data in document.contents.values() if not isinstance(data, Link)):
            raise NubbinError(f"{document.title} is empty: there is nothing to reduce.")
        try:
            yield Case(
                job.oracle_spec,
                document,
                job.root,
                oracle,
                pool=pool,
                timeout=job.options.timeout,
                on_run=self.tell,
                trials=self.trials,
                answer=self.answer or NO_ANSWER,
                answer_on_nothing=self.nothing,
            )
        except BrokenExecutor as error:
            raise NubbinError(
                f"The workers that run the test were lost: {error}. The run had not "
                "started. Fix this problem, then start again."
            ) from error
