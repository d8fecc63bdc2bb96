"""What a command uses of a project, by a traced run in a copy of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath

from nubbin.documents.document import Document
from nubbin.documents.trace import Trace
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.tracing.notes import ANYWHERE, Used
from nubbin.oracles.tracing.traced_test import TracedTest
from nubbin.reduction.events import Observer, Traced
from nubbin.reduction.job import Job
from nubbin.reduction.start.released import release_of

_PACKAGE = "__init__.py"
_STARTUP = "sitecustomize.py"


def traced(
    job: Job, limit: float | None, tell: Observer, place: Path
) -> tuple[Job, tuple[str, ...]]:
    """Return the job with a trace of its command, and with a test that uses the copy, if possible.

    With it come the modules that Python imports and that are not of the project, in their order.

    `limit` is for one run, in seconds. If the project is a package that was released, the test can
    import that as well, from below `place`. Costs one run; two if the command imports the project
    from the user's own folder, as a package that is installed in editable mode.
    """
    assert isinstance(job.test, ProjectTest)
    paths = set(_paths_on_disk(job))
    used = used_by(job, job.original, limit)
    imports = tuple(sorted(set(_imports(job, paths, used))))
    if imports:
        job = replace(job, test=replace(job.test, imports=imports))
        used = used_by(job, job.original, limit)
    opened, looked_up = (_among(paths, each) for each in (used.opened, used.looked_up))
    outside = tuple(str(job.root / path) for path in sorted(_originals(job, paths, used)))
    release = release_of(job.original, job.test.words[0], place)
    pin, own = "", frozenset[str]()
    if release is not None:
        pin, own = release.pin, release.own
        assert isinstance(job.test, ProjectTest)
        job = replace(job, test=replace(job.test, released=str(release.folder)))
    tell(Traced(len(opened), len(paths), imports, outside, pin))
    ran = {path: tuple(sorted(used.ran[path])) for path in sorted(paths & used.ran.keys())}
    job = replace(job, trace=Trace(opened, looked_up - opened, ran, own))
    return job, tuple(_modules(job, paths, used))


def used_by(job: Job, document: Document, limit: float | None) -> Used:
    """Return what a run on a document uses; it is made here, wherever the others are."""
    found: list[Used] = []
    assert isinstance(job.test, ProjectTest)
    spec = replace(job, test=TracedTest.like(job.test, found=found.append)).oracle_spec
    with spec.oracle(limit or Timeout().limit) as oracle:
        oracle.explain(document.contents)
    return found[-1]


def _among(paths: set[str], used: frozenset[str]) -> frozenset[str]:
    """Return the paths that were used; of a used one perhaps only the end is known."""
    ends = tuple("/" + each.removeprefix(ANYWHERE) for each in used if each.startswith(ANYWHERE))
    return frozenset(path for path in paths if path in used or path.endswith(ends))


def _paths_on_disk(job: Job) -> Iterator[str]:
    containers = job.original.outermost
    held = set(chain(*containers.values()))
    yield from containers
    yield from (file.path for file in job.original.files if file.path not in held)


def _originals(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the files of the input that were opened in the user's own folder."""
    root = f"{job.root}/".replace("//", "/")
    return (path for each in used.opened if (path := each.removeprefix(root)) in paths - {each})


def _modules(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the modules that are not of the project, and in no package that is."""
    root = f"{job.root}/".replace("//", "/")
    outside = {"": True}
    for name, origin in used.modules.items():
        is_outside = origin.removeprefix(root) not in paths and Path(origin).name != _STARTUP
        outside[name] = is_outside and outside.get(name.rpartition(".")[0], False)
        if outside[name]:
            yield name


def _imports(job: Job, paths: set[str], used: Used) -> Iterator[str]:
    """Yield the folders of the project from which Python imported what is in the user's folder."""
    for path in _originals(job, paths, used):
        if path.endswith(".py"):
            folder = PurePosixPath(path).parent
            while str(folder / _PACKAGE) in paths:
                folder = folder.parent
            if folder.is_relative_to(job.original.name):
                yield str(folder.relative_to(job.original.name))
