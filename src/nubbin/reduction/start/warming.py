"""Whether the command of a project can be run in forks of a Python that has started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.oracles.timeout import Timeout
from nubbin.reduction.events import Observer, Warmed
from nubbin.reduction.job import Job
from nubbin_core.verdict import Verdict

#: A fork is worth it if it takes at most this part of the time: an interesting candidate is run
#: again without one.
_WORTH: Final = 0.7


def warmed(job: Job, modules: Sequence[str], limit: float | None, tell: Observer) -> Job:
    """Return the job with a test that is run in forks, if that does the same and is faster.

    Forks are of a process that has imported the modules; `limit` is for one run, in seconds. Costs
    three runs if the command starts Python and nothing else, else nothing.
    """
    assert isinstance(job.test, ProjectTest)
    if not modules or job.options["sandbox"] or job.test.python_line is None:
        return job
    test = replace(job.test, modules=tuple(modules))
    in_forks = replace(job, test=_InForks.like(test)).oracle_spec
    with job.oracle_spec.oracle(limit or Timeout().limit) as as_it_is:
        cold = as_it_is.explain(job.original.contents)
    with in_forks.oracle(limit or Timeout().limit) as forks:
        first, warm = (forks.explain(job.original.contents) for _ in range(2))
    for each in (first, warm):
        if each.verdict is not Verdict.INTERESTING or each.exit_code != cold.exit_code:
            return job
    if warm.seconds > _WORTH * cold.seconds:
        return job
    tell(Warmed(len(modules), warm.seconds, cold.seconds))
    return replace(job, test=test)


@dataclass(frozen=True, slots=True)
class _InForks(ProjectTest):
    """A project whose command is run in forks, and nowhere else."""

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        found = self.warm_runner(folders)
        assert found is not None, "asked before"
        return found
