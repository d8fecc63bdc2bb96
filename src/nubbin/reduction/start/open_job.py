"""A job with all that runs for it: the parser, the workers, the passes of the user, the clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import Pass
from nubbin.reduction.doors.open_doors import Doors, open_doors
from nubbin.reduction.job import Job
from nubbin.reduction.pass_problem import PassProblem, Plan
from nubbin.reduction.start.workers import Workers, open_workers
from nubbin_core.errors import OptionError
from nubbin_core.minimizers import LastElement
from nubbin_core.search.algorithm import Algorithm, Start
from nubbin_core.search.budget import Budget


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A job whose test can be run; `timeout` is what the user gave, in seconds.

    `start` starts the algorithm on a list.
    """

    job: Job
    algorithm: Algorithm
    start: Start
    passes: tuple[Pass, ...]
    workers: Workers
    budget: Budget
    guard: Guard
    doors: Doors

    def at_depth(self, depth: int) -> Self:
        """Return it with containers taken apart to another depth; raises OptionError."""
        return self._with(self.job.at_depth(depth))

    def saying(self, said: tuple[str, ...]) -> Self:
        """Return it with what the test printed of the original."""
        return self._with(replace(self.job, said=said)) if said else self

    def _with(self, job: Job) -> Self:
        return replace(self, job=job, passes=job.passes(self.guard, self.doors))

    @property
    def plan(self) -> Plan:
        """The passes, and how their lists are minimized."""
        begin = partial(
            PassProblem,
            minimizer=self.start,
            settings=self.job.settings,
            allowed=self.job.protection().is_allowed,
            # The user's passes may think long, or cost money: they are asked no more than needed.
            look_ahead=not self.doors.rows,
        )
        at_the_end = self.job.passes_at_the_end(self.guard, self.doors)
        return Plan(self.passes, begin, self._read_again, self.guard, at_the_end)

    def _read_again(self, result: Document) -> tuple[Document, Plan]:
        again = self._with(replace(self.job, original=result.unpacked(self.job.depth)))
        return again.job.original, again.plan


@contextmanager
def open_job(job: Job, budget: Budget) -> Iterator[OpenJob]:
    """Start all that a job needs, and end it with the block.

    Raises NubbinError if anything cannot be started or an option does not go with the input,
    ValueError for a cluster and an executor together.
    """
    algorithm = job.algorithm
    start = LastElement.of(algorithm.load())
    with ExitStack() as stack:
        stack.enter_context(parsing())
        guard = Guard()
        doors = stack.enter_context(open_doors(job.options, guard, lambda: workers.pool.width))
        passes = job.passes(guard, doors)
        if job.options.reduce_with and len(job.original.texts) != 1:
            raise OptionError(
                f"--reduce-with: another reducer gets one file, and {job.original.title} is "
                f"{len(job.original.texts)}. Name one file; for a container, name its --format."
            )
        workers = stack.enter_context(open_workers(job))
        yield OpenJob(job, algorithm, start, passes, workers, budget, guard, doors)
