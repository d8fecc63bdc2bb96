"""Reduce a project whose command fails to the smallest project with which it fails in that way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nubbin.checks.case import Known
from nubbin.disk import Folder, check_place
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal import schema
from nubbin.journal.journal import SITE
from nubbin.journal.run_folders import kept_if_used, new_run
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.events import Observer, Warmed
from nubbin.reduction.job import Job
from nubbin.reduction.options import Options
from nubbin.reduction.reduce import reduce_taken
from nubbin.reduction.result.output_path import check_outside
from nubbin.reduction.run_job import Reduction
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.learning import with_conditions
from nubbin.reduction.start.tracing import traced
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict


def reproduce(
    command: str,
    folder: StrPath = ".",
    *,
    conditions: Conditions | None = None,
    output: StrPath | None = None,
    record: bool | StrPath = False,
    observers: Sequence[Observer] = (),
    options: Options,
) -> Reduction:
    """Reduce the project in a folder to the smallest in which a command fails as it does now.

    The shell runs `command` in copies of the folder, never in it. The `conditions` of the failure
    are learned if there are none. One run is traced, and the first query removes all files that it
    did not use; the trace changes only the order of queries. The result has whole statements, names
    and line breaks, for a person to read, unless the option `golf` is set. If the command only
    starts Python, runs are forks of a Python with its imports from outside the project, unless
    these fail in another way, or the option `cold` is set.

    The result is a folder in the new folder `output`, by default NAME-repro beside the project.
    With `record` the run is recorded in .nubbin in the project, or in the folder that it names.

    Costs one or two runs for the trace and three to compare forks, in addition to `nubbin.reduce`.
    Raises NubbinError as that does.
    """
    here = Path(folder).absolute()
    inside = Conditions() if conditions is None else conditions

    def taken() -> tuple[UserTest, Inputs]:
        found = read_inputs(here, all_files=options.all_files)
        # No paths: the run is recorded in the project, and `_new` checks the place of the result.
        test = ProjectTest((command,), str(here), conditions=inside)
        return test, replace(found, paths=())

    def learn(job: Job, tell: Observer) -> tuple[Job, Known]:
        job, modules = traced(job, tell, release)
        if not options.golf:
            # Golf makes a text harder to read.
            without = tuple(dict.fromkeys(each.name for each in job.passes() if each.is_golf))
            job = replace(job, options=replace(job.options, without=without))
        try:
            job, known = with_conditions(job, tell)
        except NubbinError as error:
            raise NubbinError(f"{error}\n\n{_COPY}") from error
        return (job if options.cold else warmed(job, modules, tell)), known

    with ExitStack() as stack:
        place = stack.enter_context(_made(_new(here, output)))
        if record is True:
            record = new_run(here, here.name)
            stack.enter_context(kept_if_used(record))
        release = stack.enter_context(_place_of_release(record))
        smallest = "char" if options.golf else "tree"
        chosen = replace(options, smallest=smallest, output=place / here.name)
        return reduce_taken(taken, learn, record=record, observers=observers, options=chosen)


def _new(project: Path, output: StrPath | None) -> Path:
    """Return the place of the reproduction; raises NubbinError for one that is in the project."""
    if output is not None:
        check_outside(Path(output), [project])
        return Path(os.path.abspath(output))  # links stay links  # noqa: PTH100
    names = chain([""], (f"-{number}" for number in count(2)))
    places = (project.with_name(f"{project.name}-repro{name}") for name in names)
    return next(place for place in places if not os.path.lexists(place))


@contextmanager
def _place_of_release(record: bool | StrPath) -> Iterator[Path]:
    """Yield the folder of a run, which needs the release to be resumed, or a temporary one."""
    if isinstance(record, bool):
        with TemporaryDirectory(prefix="nubbin-release-") as temporary:
            yield Path(temporary)
        return
    try:
        yield Path(record)
    finally:
        if not Path(record, schema.FILE).exists():
            shutil.rmtree(Path(record, SITE), ignore_errors=True)


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    check_place(folder, is_folder=True)
    if folder.is_dir() and any(folder.iterdir()):
        raise NubbinError(f"{folder} is there already. Name a folder that does not exist.")
    Folder.made(folder).close()
    try:
        yield folder
    finally:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


_COPY: Final = (
    "It ran in a copy of the folder. If it fails in the folder itself, the copy lacks something. "
    "That can be .git, files beside the folder, or files that .gitignore names: --all-files takes "
    "them in, or the command can build them."
)


#: Forks are used if they take at most this fraction of the time: an accepted candidate is run
#: again without a fork.
_WORTH: Final = 0.7


def warmed(job: Job, modules: Sequence[str], tell: Observer) -> Job:
    """Return the job with a test that runs in forks, if that has the same result and is faster.

    The forked process has imported the modules. Costs three runs if the command only starts Python,
    otherwise none.
    """
    assert isinstance(job.test, ProjectTest)
    line = job.test.python_line
    if not modules or job.options.sandbox or line is None:
        return job
    test = replace(job.test, modules=tuple(modules))
    with LocalOracle(job.oracle_spec, job.limit) as as_it_is:
        cold = as_it_is.explain(job.original.contents)
    in_forks = lambda folders: test.warm_runner(folders, line)  # noqa: E731
    with LocalOracle(job.oracle_spec, job.limit, runner=in_forks) as forks:
        first, warm = (forks.explain(job.original.contents) for _ in range(2))
    for each in (first, warm):
        if each.verdict is not Verdict.INTERESTING or each.exit_code != cold.exit_code:
            return job
    if warm.seconds > _WORTH * cold.seconds:
        return job
    tell(Warmed(len(modules), warm.seconds, cold.seconds))
    return replace(job, test=test)
