"""A traced run on the input: the files and lines that it uses, and the modules of its Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from nubbin.documents.document import Document, Trace
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.tracing.traced_test import ANYWHERE, Tracer, Used
from nubbin.passes.grain import Grain
from nubbin.pattern import pattern
from nubbin.reduction.events import Observer, Traced, Warmed
from nubbin.reduction.job import Job
from nubbin.reduction.pipeline import framework_of
from nubbin.reduction.start.open_job import OpenJob
from nubbin_core.verdict import Verdict

#: The kinds of tests that `reduce` traces, and what the text of one names if it runs Python.
_COMMANDS: Final = frozenset({"command", "run"})
_PYTHON: Final = pattern(r"\bpy(?:thon|test|py)|\.py\b|\btox\b")
PACKAGE: Final = "__init__.py"
_STARTUP = "sitecustomize.py"


class Release(NamedTuple):
    """The released package that a project is, and the files of the project that it replaces."""

    pin: str
    files: frozenset[str]


NO_RELEASE: Final = Release("", frozenset())


def with_python_traced(opened: OpenJob, tell: Observer) -> OpenJob:
    """Return the job with a trace of its test, if that runs Python on the modules of a folder.

    Costs one run then, and otherwise none. A test that runs elsewhere is not traced.
    """
    job, options = opened.job, opened.job.options
    is_in_trees = (
        options.smallest.upper() in Grain.__members__ and not framework_of(options.algorithm)[0]
    )
    is_here = options.cluster is None and options.executor is None
    modules = sum(file.path.endswith(".py") for file in job.original.texts)
    if not (is_in_trees and is_here and modules > 1 and job.test.kind in _COMMANDS):
        return opened
    written = replace(job.test, words=job.test.programs).scripts.values()
    if not any(map(_PYTHON.search, (*written, *(job.test.words if job.test.is_line else ())))):
        return opened
    return opened.with_job(with_trace(job, used_by(job, job.original), tell))


def with_trace(
    job: Job,
    used: Used,
    tell: Observer,
    imports: tuple[str, ...] = (),
    release: Release = NO_RELEASE,
) -> Job:
    """Return the job with a trace of what its test `used`, and tell of it."""
    paths = set(job.original.on_disk)
    opened, looked_up = (_among(paths, each) for each in (used.opened, used.looked_up))
    outside = tuple(str(job.root / path) for path in sorted(_originals(job, paths, used)))
    tell(Traced(len(opened), len(paths), imports, outside, release.pin))
    ran = {path: tuple(sorted(used.ran[path])) for path in sorted(paths & used.ran.keys())}
    return replace(job, trace=Trace(opened, looked_up - opened, ran, release.files))


def used_by(job: Job, document: Document) -> Used:
    """Return what a run on a document uses; it runs on this machine, even if others do not."""
    found: list[Used] = []
    assert isinstance(job.test, RunTest | CommandTest)
    tracer = partial(Tracer, job.test, found.append)
    with LocalOracle(job.oracle_spec, job.limit, runner=tracer) as oracle:
        oracle.explain(document.contents)
    return found[-1]


def _among(paths: set[str], used: frozenset[str]) -> frozenset[str]:
    """Return the paths that were used. Of some used paths, only the end is known."""
    ends = tuple("/" + each.removeprefix(ANYWHERE) for each in used if each.startswith(ANYWHERE))
    return frozenset(path for path in paths if path in used or path.endswith(ends))


def _originals(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the files of the input that were opened in the user's own folder."""
    root = f"{job.root}/".replace("//", "/")
    return (path for each in used.opened if (path := each.removeprefix(root)) in paths - {each})


def traced(job: Job, tell: Observer, release: Release) -> tuple[Job, tuple[str, ...]]:
    """Return the job with a trace of its command, and the modules that Python imports, in order.

    Modules of the project are not among these. If the command imports the project from the user's
    own folder, because it is installed in editable mode, the test imports it from the copy instead.

    Costs one run; two for a project in editable mode.
    """
    assert isinstance(job.test, ProjectTest)
    paths = set(job.original.on_disk)
    used = used_by(job, job.original)
    imports = tuple(sorted(set(_imports(job, paths, used))))
    if imports:
        job = replace(job, test=replace(job.test, imports=imports))
        used = used_by(job, job.original)
    return with_trace(job, used, tell, imports, release), tuple(_modules(job, paths, used))


def _modules(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the modules that are neither part of the project nor inside one of its packages."""
    root = f"{job.root}/".replace("//", "/")
    outside = {"": True}
    for name, origin in used.modules.items():
        is_outside = origin.removeprefix(root) not in paths and Path(origin).name != _STARTUP
        outside[name] = is_outside and outside.get(name.rpartition(".")[0], False)
        if outside[name]:
            yield name


def _imports(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the project's folders whose modules Python imported from the user's own folder."""
    for path in _originals(job, paths, used):
        if path.endswith(".py"):
            folder = PurePosixPath(path).parent
            while str(folder / PACKAGE) in paths:
                folder = folder.parent
            if folder.is_relative_to(job.original.name):
                yield str(folder.relative_to(job.original.name))


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
    is_same = all(
        each.verdict is Verdict.INTERESTING and each.exit_code == cold.exit_code
        for each in (first, warm)
    )
    if not is_same or warm.seconds > _WORTH * cold.seconds:
        return job
    tell(Warmed(len(modules), warm.seconds, cold.seconds))
    return replace(job, test=test)
