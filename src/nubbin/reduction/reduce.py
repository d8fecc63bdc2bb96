"""`nubbin.reduce`: from a test and an input to the smallest input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Unpack

from nubbin.checks.case import UNKNOWN, Known
from nubbin.documents.packing import MAX_DEPTH
from nubbin.documents.parsing.grammars import has_parser
from nubbin.documents.parsing.languages import without_grammar
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal import mark
from nubbin.journal.journal import Journal
from nubbin.journal.run_folders import check_runs, new_run
from nubbin.oracles import make
from nubbin.oracles.failures.conditions import Command
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.events import Event, LeftOut, NoGrammar, Observer, RunsIn, Unmarked, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import ReduceKeywords, given, takes
from nubbin.reduction.option import Group
from nubbin.reduction.options import Options
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.result.best import Best
from nubbin.reduction.result.contents import contents_at
from nubbin.reduction.result.drift import Baseline
from nubbin.reduction.result.output_path import (
    check_outside,
    check_replaceable,
    check_result_place,
    output_path,
)
from nubbin.reduction.result.pretty import beside
from nubbin.reduction.run_job import run_job
from nubbin.reduction.start.check_test import before_the_first_query, check_packing, check_test
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.open_job import OpenJob, open_job
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.search.budget import Budget


@takes(Group.REDUCE)
def reduce(
    test: UserTest | Command | StrPath | Callable[[Path], bool | None],
    input: StrPath | Sequence[StrPath],
    *,
    name: str | None = None,
    record: bool | StrPath = False,
    observers: Sequence[Observer] = (),
    **options: Unpack[ReduceKeywords],
) -> Reduction:
    """Reduce a file, a folder or several of them to the least that a test finds interesting.

    `test` is an executable that exits 0 while the file is interesting, 125 when it cannot
    say, anything else when it is not. It runs in an empty folder with the candidate under the
    input's own name, which is also its last argument and, if it is a file, its standard input.
    Several inputs lie there as they do below the folder that holds them all, and that folder is
    the last argument. A stream, which `-`, /dev/stdin or /dev/fd/N means, is read to its end as a
    file with this `name`, by default `input`. A function can be the test as well: it is
    called with the path of the candidate, in a process of its own that is forked from one that has
    imported its file, and returns True, False, or None when it cannot say. Of a lambda, a local
    function or one of a prompt or a notebook, that process has a copy: what it changes in variables
    is not seen here, and it cannot hold open files or locks.
    `ServerTest.of` makes a test of a program that is started once and asked by the line. A
    `Command` is a command line; if it does not say when that misbehaves, four runs or a few more
    learn it from how it fails. If runs of the test disturb each other, only one is made at a time.

    The result goes to `output`, by default NAME.reduced.EXT beside the input. The best so far is on
    disk at every moment; only a folder that is recorded may be a second late, or ten times as long
    as it takes to write. No files are lost: a file at `output` is replaced, as by a compiler, but a
    default result only if it is, unchanged, that of a run recorded beside it. If another process
    writes there meanwhile, that file is left as it is, and the reduction ends.

    With `record` all answers are recorded in a new folder in `.nubbin` beside the result, or in the
    folder that it names, which need not exist; then `nubbin.resume` can go on after any end.
    Ctrl-C ends the reduction with the best so far and the reason `interrupted`, an executor or a
    cluster that does not answer any more with the reason `workers-lost`.

    A test that answers the same question differently is noticed, by asking a few questions twice,
    and the result up to twelve times. Then it is run on each candidate until that is known to be as
    good as the original, and a best that does not hold is given up for an earlier one.

    A container (an archive, an office's document, a compressed file, an image, ...) is reduced by
    its members, as a folder is, and the test is given it packed again; but as the bytes that it is
    if the test does not find it interesting packed again, or if `format` says what it is.

    Costs three runs of the test to check it, at the same time if there are three jobs, one or two
    if there are containers, and twelve on the result, or fewer if they take over a second and over
    a tenth of what the queries took, but at least six (docs/guides/flaky.md); another if the test
    prints the reason of the failure, to tell whether it is still the same, and if it is not, some
    more to find where it turned. To find out a flaky test, about one query of each fourfold number
    is asked twice, and so are those of the proof that the result is 1-minimal, if these are at most
    100 and took at most 20 seconds. As many of these runs are made at once as there are jobs.

    Raises NubbinError, whose text is a paragraph for the user, when the test, the input or an
    option is wrong, or there are no workers; then nothing has been written, unless the test turned
    out to be flaky beyond use. Raises ValueError for an option that cannot have its value,
    or a cluster and an executor together; TypeError for an option that does not exist.
    """
    chosen = given(options, Group.REDUCE)

    def taken() -> tuple[UserTest, Inputs]:
        found = read_inputs(input, name=name, in_place=chosen.in_place, all_files=chosen.all_files)
        return make.test_of(test, found.given_as), found

    return reduced(taken, _learn, record=record, observers=observers, options=chosen)


def reduced(
    taken: Callable[[], tuple[UserTest, Inputs]],
    learn: Callable[[Job, Observer], tuple[Job, Known]],
    *,
    record: bool | StrPath,
    observers: Sequence[Observer],
    options: Options,
) -> Reduction:
    """Reduce the inputs that are `taken`; see `reduce`.

    Before the first query, `learn` runs the test of the job if it does not say yet what is
    interesting, and returns the job whose test does, with what is known of that by then.
    """
    tell = to_all(observers)
    with ExitStack() as stack:

        def prepared() -> tuple[OpenJob, Best, Baseline]:
            test, found = taken()
            job = _job(test, found, options)
            for place in (options.output, None if isinstance(record, bool) else record):
                if place is not None:
                    check_outside(Path(place), found.paths)
            for event in _at_first(found, job.test, options.format):
                tell(event)
            best = stack.enter_context(_held_output(job))
            for event in _checked_record(job, record):
                tell(event)
            read = job.original
            job, known = learn(job, tell)
            if job.in_place and job.original is not read:
                raise NubbinError(
                    f"--in-place would replace {job.source} by a folder without the programs that "
                    "the command makes in it. Remove these first, or leave out --in-place."
                )
            begun = stack.enter_context(open_job(job, budget))
            baseline = check_test(begun, tell, known)
            begun = begun.having(said=baseline.said) if baseline.said else begun
            opened = check_packing(begun, baseline.trials, tell)
            return opened, best, baseline

        budget = Budget(options.max_queries, options.max_time, options.target_size)
        opened, best, baseline = before_the_first_query(budget, prepared)
        journal = None
        if record is not False:
            job = opened.job
            new = new_run(job.target.parent, job.original.title) if record is True else record
            journal = stack.enter_context(Journal.create(Path(new)))
            journal.tell(
                **job.facts(),
                **baseline.facts(),
                algorithm_source=opened.algorithm.source,
                pass_sources=job.pass_sources,
                one_job=opened.workers.pool.alone,
            )
        return run_job(opened, best, journal, baseline, observers)


def _learn(job: Job, tell: Observer) -> tuple[Job, Known]:
    """Return the job whose test says when the input is interesting, which only a line may not."""
    if not job.test.is_line:
        return job, UNKNOWN
    from nubbin.reduction.start.learning import with_conditions  # noqa: PLC0415

    return with_conditions(job, tell)


def _at_first(found: Inputs, test: UserTest, format: str | None) -> Iterator[Event]:
    """Yield what there is to know before the test is run."""
    if found.left_out:
        yield LeftOut(found.left_out)
    if test.runs_in is not None:
        yield RunsIn(test.runs_in)
    if lacking := without_grammar(found.document.contents, format or ""):
        if has_parser():
            yield from map(NoGrammar, lacking)
        else:
            yield NoGrammar(" and ".join(lacking), has_parser=False)


def _job(test: UserTest, found: Inputs, options: Options) -> Job:
    """Return the job, with a place for the result."""
    output = None if options.output is None else Path(options.output)
    target = output_path(found.document, found.root, output, in_place=options.in_place)
    # What the user says that INPUT is, it is.
    depth = MAX_DEPTH if options.format is None else 0
    job = Job(
        found.document.unpacked(depth),
        found.root,
        target.absolute(),
        test,
        found.executables,
        options,
        depth,
        found.reachable,
    )
    return job.found_from_everywhere()


@contextmanager
def _held_output(job: Job) -> Iterator[Best]:
    """Hold the place of the result; raises NubbinError if what lies there would be lost."""
    with Best(job.root, job.target, original=job.original if job.in_place else None) as best:
        if job.options.output is None:
            check_replaceable(best.path, best.found)
        if job.options.pretty:
            readable = beside(job.target)
            check_result_place(readable, is_folder=not job.original.packed.is_single)
            check_replaceable(readable, contents_at(readable))
        yield best


def _checked_record(job: Job, record: bool | StrPath) -> Iterator[Event]:
    """Yield what is wrong with the record; raises NubbinError and OSError if there can be none."""
    if record is True:
        check_runs(job.target.parent)
    elif record is not False:
        Journal.check(Path(record))
    if record is not False and (why := mark.missing()):
        yield Unmarked(why)
