"""A job with all that runs for it: the parser, the proposer, the workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from nubbin.documents.trees import parsing
from nubbin.passes.proposal import Pass
from nubbin.reduction.job import Job
from nubbin.reduction.options import ResourceOptions
from nubbin.reduction.proposer import Program
from nubbin.reduction.protection import Protection
from nubbin.reduction.workers import Workers, open_workers


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A job whose test can be run."""

    job: Job
    protection: Protection
    passes: tuple[Pass, ...]
    workers: Workers


@contextmanager
def open_job(job: Job, options: ResourceOptions) -> Iterator[OpenJob]:
    """Start all that a job needs, and end it with the block.

    Raises NubbinError if anything cannot be started or an option does not go with the input,
    ValueError for less than one job, or a cluster and an executor together.
    """
    protection = job.protection()
    proposer = job.options["proposer"]
    with ExitStack() as stack:
        stack.enter_context(parsing())
        program = None if proposer is None else stack.enter_context(Program(proposer))
        passes = job.passes(program)
        yield OpenJob(job, protection, passes, stack.enter_context(open_workers(job, options)))
