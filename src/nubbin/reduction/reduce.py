"""`nubbin.reduce`: from a test and an input to the smallest input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Unpack

from nubbin.documents.packing import MAX_DEPTH
from nubbin.documents.parsing.grammars import has_parser
from nubbin.documents.parsing.languages import without_grammar
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal import mark
from nubbin.journal.journal import Journal
from nubbin.journal.run_folders import check_runs, new_run
from nubbin.option import Group
from nubbin.oracles.failures.conditions import Command
from nubbin.oracles.user_test import UserTest, test_of
from nubbin.reduction.events import Event, LeftOut, NoGrammar, Observer, RunsIn, Unmarked, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import ReduceKeywords, options_given, takes
from nubbin.reduction.options import Options
from nubbin.reduction.result.beside import readable_path
from nubbin.reduction.result.output_path import (
    check_outside,
    check_replaceable,
    check_result_place,
    contents_at,
    output_path,
)
from nubbin.reduction.result.place import ResultPlace
from nubbin.reduction.run_job import JobRun, Reduction
from nubbin.reduction.start.check import before_the_first_query, checked, learned
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.open_job import open_job
from nubbin_core.argument_types import StrPath
from nubbin_core.late import late

_with_python_traced = late("nubbin.reduction.start.tracing:with_python_traced")


@takes(Group.REDUCE)
def reduce(
    test: UserTest | Command | StrPath | Callable[[Path], bool | None],
    input: StrPath | Sequence[StrPath],
    *,
    name: str | None = None,
    prints: str | None = None,
    record: bool | StrPath = False,
    observers: Sequence[Observer] = (),
    **options: Unpack[ReduceKeywords],
) -> Reduction:
    """Reduce a file, a folder or several of them to the smallest that a test accepts.

    `test` is an executable that exits with 0 to accept the candidate, with 125 if it cannot tell,
    and with anything else to reject it. It runs in a new folder with the candidate under the name
    of the input, which is also its last argument and, if it is a file, its standard input. Several
    inputs keep their paths below the folder that contains them all; that folder is the argument.
    `-`, /dev/stdin and /dev/fd/N are streams, read as a file with this `name`, by default `input`.

    A function can be the test: nubbin calls it with the path of the candidate, in a forked process,
    and it returns True, False, or None if it cannot tell. A `Command` is a command line, whose
    conditions are learned if it has none; `ServerTest.of` makes a test of a program that is started
    once. With `prints`, an expression that the output of the test must match, candidates that fail
    in other ways are rejected, and kept with the run. If runs of the test disturb each other,
    nubbin makes one at a time. A flaky test is repeated on each candidate; see
    docs/guides/flaky.md.

    The result is at `output`, by default NAME.reduced.EXT beside the input. The best so far is
    always there; only a recorded folder is written a second later, or ten times as late as it takes
    to write. No files are lost: a file at `output` is replaced, as by a compiler, but at the
    default place only an unchanged result of nubbin. If another process writes there, that file is
    kept, and the reduction ends. Containers (archives, office documents, compressed files, images,
    ...) are reduced by their members and packed for the test, unless the test rejects the packed
    input, or `format` is set.

    With `record`, all answers are recorded in a new folder in `.nubbin` beside the result, or in
    the folder that it names; `nubbin.resume` can then continue. Ctrl-C ends the reduction with the
    best so far and the reason `interrupted`; lost workers end it with the reason `workers-lost`.

    Costs three runs of the test to check it, one or two for containers, and at the end six to
    twelve on the result. Another run compares the printed failure, and some more find the step that
    lost it. To find out whether the test is flaky, few queries are repeated, and the proof that the
    result is 1-minimal if it is short. As many runs are made at once as there are jobs.

    Raises NubbinError if the test, the input or an option is wrong, or there are no workers; then
    nothing has been written, unless the test proved too flaky. Raises ValueError for an option that
    cannot have its value, or a cluster and an executor together; TypeError for an unknown option.
    """
    chosen = options_given(options, Group.REDUCE)

    def take() -> tuple[UserTest, Inputs]:
        found = read_inputs(input, name=name, in_place=chosen.in_place, all_files=chosen.all_files)
        return test_of(test, found.given_as, prints), found

    return reduce_inputs(take, learned, record=record, observers=observers, options=chosen)


def reduce_inputs(
    take: Callable[[], tuple[UserTest, Inputs]],
    learn: Callable[[Known], Known],
    *,
    record: bool | StrPath,
    observers: Sequence[Observer],
    options: Options,
) -> Reduction:
    """Reduce the inputs that `take` returns with their test; see `reduce`.

    `learn` returns the job with the conditions that its test lacks, and what is known of that test.
    """
    tell = to_all(observers)
    budget = options.budget()
    with ExitStack() as stack:

        def prepared() -> JobRun:
            job = _read(take, record, options, tell)
            best = stack.enter_context(_place_of_result(job))
            known = learn(Known(job, tell))
            opened = stack.enter_context(open_job(known.job, budget))
            opened, baseline = checked(known, opened)
            if not opened.job.original.is_single:
                opened = _with_python_traced(opened, tell)
            return JobRun(opened, best, baseline)

        run = before_the_first_query(budget, prepared)
        if record is not False:
            target, title = run.opened.job.target, run.opened.job.original.title
            folder = new_run(target.parent, title) if record is True else Path(record)
            run = run.recorded(stack.enter_context(Journal.create(folder)))
        return run.reduced(observers)


def _read(
    take: Callable[[], tuple[UserTest, Inputs]],
    record: bool | StrPath,
    options: Options,
    tell: Observer,
) -> Job:
    """Return the job for the inputs; raises NubbinError if a result or a run has no place."""
    test, found = take()
    output = None if options.output is None else Path(options.output)
    target = output_path(found.document, found.root, output, in_place=options.in_place)
    # If the user names the format of the input, it is not unpacked.
    depth = MAX_DEPTH if options.format is None else 0
    job = Job.of_inputs(test, found, options, target, depth).with_absolute_paths()
    for place in (output, None if isinstance(record, bool) else Path(record)):
        if place is not None:
            check_outside(place, found.paths)
    for event in _about(found, job):
        tell(event)
    if record is True:
        check_runs(job.target.parent)
    elif record is not False:
        Journal.check(Path(record))
    if record is not False and (why := mark.missing()):
        tell(Unmarked(why))
    return job


def _about(found: Inputs, job: Job) -> Iterator[Event]:
    if found.left_out:
        yield LeftOut(found.left_out)
    if job.test.runs_in is not None:
        yield RunsIn(job.test.runs_in)
    lacking = without_grammar(found.document.contents, job.options.format or "")
    if lacking and not has_parser():
        yield NoGrammar(" and ".join(lacking), has_parser=False)
    else:
        yield from map(NoGrammar, lacking)


@contextmanager
def _place_of_result(job: Job) -> Iterator[ResultPlace]:
    """Lock the place of the result; raises NubbinError if a file there would be lost."""
    with ResultPlace(job.root, job.target, original=job.original if job.in_place else None) as best:
        if job.options.output is None:
            check_replaceable(best.path, best.found)
        if job.options.pretty:
            readable = readable_path(job.target)
            check_result_place(readable, is_folder=not job.original.packed.is_single)
            check_replaceable(readable, contents_at(readable))
        yield best
