"""Which of the files that a command line names does the command make for itself?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from nubbin.checks.case import UNKNOWN, Case, Known
from nubbin.checks.in_words import stopped
from nubbin.documents.document import Document
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.shell_runner import ShellRunner
from nubbin.oracles.isolation.given_files import Laid
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.isolation.sandbox import Sandbox
from nubbin.oracles.oracle import Runner
from nubbin.pattern import pattern
from nubbin.reduction.events import LeftOut, Observer
from nubbin.reduction.job import Job
from nubbin.reduction.start.peculiar import fails
from nubbin_core.answer import Answer
from nubbin_core.errors import NubbinError

# How programs, object files and libraries begin, on Linux and macOS.
_COMPILED = (b"\x7fELF", b"!<arch>\n", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
# What differs from run to run: a folder, an address, a number.
_VARYING = pattern(rb"nubbin-\w{8}|0x[0-9a-fA-F]+|\d+")


def without_outputs(job: Job, known: Known, tell: Observer) -> tuple[Job, Known]:
    """Return the job whose command finds its inputs, and nothing that it makes for itself.

    A run on the input has copies of all the user's files that the line names. Those that it writes
    are looked at once more: a command that ends and prints the same without one makes that for
    itself, and is not given what an earlier run has left there, such as an old a.out. One that
    needs what it writes, such as a database, gets a copy. An output keeps the name that the user
    typed. Programs and object files in the input are left out if a run without them makes them.

    Costs a run if the line names files of the user's; two for each of them that it writes; and one
    if there are programs in the input. What was `known` comes back if it still holds.
    """
    if not isinstance(job.test, RunTest) or isinstance(job.test, ProjectTest):
        return job, known  # what the command of a project makes is in the project
    test, whole = job.test, job
    job = _without_programs(job, test, tell)
    if job is not whole:
        known = UNKNOWN
    asked = test.given
    if not asked:
        return job, known

    def written(test: RunTest) -> tuple[Answer, set[str]]:
        return _watched(job, test, lambda laid: laid.written(asked), tell)

    answer, made = written(test)
    inputs = set[str]()
    while news := made - inputs - (set(asked) - set(test.given)):
        path = min(news)
        bare, beside = test.without({path}), test.naming_here({path})
        (ended, makes), (other, also) = written(bare), written(beside)
        if _told(ended) == _told(other):
            test, answer, made = bare, ended, makes
        else:
            inputs.add(path)
            test, answer, made = beside, other, also
    if test is job.test and known is not UNKNOWN:
        return job, known
    is_first = not test.conditions and fails(answer)
    return replace(job, test=test), Known(answer=answer) if is_first else UNKNOWN


def _without_programs(job: Job, test: RunTest, tell: Observer) -> Job:
    """Return the job without the compiled files of its input that the test makes for itself."""
    document = job.original
    paths = [each.path for each in document.files if each.data.startswith(_COMPILED)]
    if document.is_single or not paths:
        return job

    def without(paths: Collection[str]) -> Job:
        files = tuple(each for each in document.files if each.path not in paths)
        return replace(job, original=Document(document.name, files, document.packing))

    _, made = _watched(without(paths), test, lambda laid: filter(laid.has, paths), tell)
    if not made:
        return job
    tell(LeftOut(tuple(f"{path} (the command makes it)" for path in sorted(made))))
    return without(made)


@dataclass(frozen=True, slots=True)
class _Watched(RunTest):
    """A command line; `after` each run, the copies that it was given are looked at."""

    after: Callable[[Laid], None] = lambda laid: None

    def runner(self, folders: QueryFolders, sandbox: Sandbox | None) -> Runner:
        """See `UserTest`."""
        line, given = self.words[0], self.given_files
        keepers = folders.keepers
        return ShellRunner(line, self.conditions, keepers, sandbox, given=given, after=self.after)


def _watched(
    job: Job,
    test: RunTest,
    looked_at: Callable[[Laid], Iterable[str]],
    tell: Observer,
) -> tuple[Answer, set[str]]:
    """Run a test on the input, here; return its answer, and the files that are found after it."""
    made = set[str]()
    watched = _Watched.like(test, after=lambda laid: made.update(looked_at(laid)))
    limit = job.limit
    spec = replace(job, test=watched).oracle_spec
    with spec.oracle(limit) as oracle:
        case = Case(spec, job.original, job.root, oracle, timeout=limit, on_run=tell)
        answer = case.run(job.original)
        if case.was_stopped and not test.conditions:
            raise NubbinError(stopped(case))
    return answer, made


def _told(answer: Answer) -> tuple[object, ...]:
    """Return how a run ended and what it printed, without what differs from run to run."""
    return answer.exit_code, answer.timed_out, _VARYING.sub(b"", answer.output)
