"""`nubbin.reduce`: the whole run, from a test and a file to the smallest file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from nubbin.journal.journal import Journal
from nubbin.journal.null_journal import NullJournal
from nubbin.journal.runs import new_run
from nubbin.oracles.candidate_files import StrPath
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.best import Best
from nubbin.reduction.checks import check_test
from nubbin.reduction.contents import contents_at
from nubbin.reduction.events import LeftOut, Observer
from nubbin.reduction.inputs import read_inputs
from nubbin.reduction.job import Job
from nubbin.reduction.output_path import check_outside, output_path
from nubbin.reduction.pipeline import framework_of
from nubbin.reduction.pretty import beside
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.replaceable import check_replaceable
from nubbin.reduction.run_job import run_job
from nubbin.reduction.workers import WorkerOptions
from nubbin.search.budget import Budget
from nubbin.search.trials import Trials


def reduce(
    test: UserTest | StrPath | Callable[[Path], bool | None],
    input: StrPath | Sequence[StrPath],
    *,
    output: StrPath | None = None,
    in_place: bool = False,
    algorithm: str = "auto",
    atom: str = "auto",
    format: str | None = None,
    minimality: str = "char",
    keep: str | None = None,
    only: str | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    seed: int = 0,
    p0: float = 0.1,
    timeout: float | None = None,
    memory: int | None = None,
    sandbox: bool = False,
    signature: str | None = None,
    proposer: str | None = None,
    pretty: bool = False,
    runs: int | None = None,
    max_queries: int | None = None,
    max_time: float | None = None,
    target_size: int | None = None,
    record: bool = False,
    run_dir: StrPath | None = None,
    observers: Sequence[Observer] = (),
) -> Reduction:
    """Reduce a file, a folder or several of them to the least that a test finds interesting.

    `test` is an executable that exits 0 while the file is interesting, 125 when it cannot
    say, anything else when it is not; it runs in an empty folder with the candidate under the
    input's own name, which is also its last argument and, if it is a file, its standard input.
    Several inputs lie there as they do below the folder that holds them all, and that folder is
    the last argument. A function at the top of a file can be the test as well: it is called with
    the path of the candidate, in a process of its own that is forked from one that has imported
    the file, and returns True, False, or None when it cannot say; `UserTest.server` makes a test
    of a program that is started once and asked by the line. The result goes to `output`, by
    default NAME.reduced.EXT beside the input; `in_place` replaces the input and keeps the
    original as INPUT.orig. The best so far is on disk at every moment.

    `atom` is what is deleted: `lines`, `tokens`, `chars`, `bytes`, or `auto`: syntax first where
    there is a grammar for the file, lines where there is none, then tokens, then characters,
    to a fixpoint, or only as fine as `minimality` says: `tree`, `token` or `char`. `format` names
    the language where a file's name and contents do not. What the regular expression `keep`
    matches stays as it is, as does what `only` does not match, and every line with the words
    `nubbin: keep`. `algorithm` names a minimizer; `hdd:` before it runs it on the levels of the
    syntax tree, to a fixpoint, and leaves out all else. `proposer` is the command line of a program
    that suggests candidates. With `pretty` a copy of the result that a formatter has laid out is
    written beside it, if there is one for the language and the copy is still interesting.

    `jobs` workers (default: all cores) change the time, not the result. With `cluster` they are
    all threads of a Dask cluster, or `jobs` of them: its scheduler's address, or `local:N` for N
    processes here. `executor` is any other place where `jobs` calls may run at once: it must
    pickle calls to workers with the same version of nubbin, and answer each with what it returns.
    Calls that it refuses, cancels, fails or loses (no answer within the time limit for each call
    that it has, and a minute) are made again, three times in all; one that it cannot cancel runs
    to its end there. In workers the test, and what it needs, must have the same path as here.

    `timeout` is in seconds a run (default: learned from the runs), `memory` in bytes a run, for
    all its processes; with `sandbox` the test can change nothing but its own folder, and reach no
    network. `max_time` is in seconds, `max_queries` in answers needed, `target_size` in bytes.
    Ctrl-C ends the reduction with the best so far and the reason `interrupted`, an executor or a
    cluster that does not answer any more with the reason `workers-lost`.

    With `record` the run is recorded in a new folder in `.nubbin` beside the result, with `run_dir`
    in that folder, which need not exist; then it can go on after any end: see `nubbin.resume`.

    Nobody's files are lost: a file at `output` is replaced, as by a compiler, but a default result
    only if it is, unchanged, that of a run recorded beside it; and what somebody else writes there
    during the run is left as it is, and ends the run.

    A test that answers the same question differently is noticed, by asking a few questions twice,
    and then run on each candidate until that is known to be as good as the original; a best that
    does not hold is given up for an earlier one. With `runs` each candidate is run up to so many
    times instead, and interesting when one run is: 1 takes the test at its word.

    Costs three queries to check the test, one to run it again on the result, and to see that it is
    no flaky one about one for each fourfold of those in between, and those of the proof that the
    result is 1-minimal once more, if these are at most 100 and took at most 20 seconds. Raises
    WrongTest, whose text is a paragraph for the user, when the test or the input is wrong, or there
    are no workers; then nothing has been written, unless the test turned out to be flaky beyond
    use. Raises ValueError for an algorithm that does not exist, less than one job, or a cluster and
    an executor together.
    """
    framework_of(algorithm)
    test = UserTest.of(test)
    found = read_inputs(input, in_place=in_place)
    original, root = found.document, found.root
    output = None if output is None else Path(output)
    run_dir = None if run_dir is None else Path(run_dir)
    target = output_path(original, root, output, in_place=in_place).absolute()
    for place in (output, run_dir):
        if place is not None:
            check_outside(place, found.inputs)
    job = Job(
        original,
        root,
        target,
        test,
        found.executables,
        algorithm=algorithm,
        atom=atom,
        format=format,
        minimality=minimality,
        keep=keep,
        only=only,
        seed=seed,
        p0=p0,
        memory=memory,
        sandbox=sandbox,
        signature=signature,
        proposer=proposer,
        pretty=pretty,
        runs=runs,
    )

    if found.left_out:
        for observer in observers:
            observer(LeftOut(found.left_out))

    with Best(job.root, job.target, original=original if in_place else None) as best:
        if output is None:
            check_replaceable(best.path, best.found)
        if pretty:
            check_replaceable(beside(job.target), contents_at(beside(job.target)))

        def begin(command: Oracle) -> tuple[Journal | NullJournal, Trials]:
            seen = check_test(job.test, command, original, signature)
            journal: Journal | NullJournal = NullJournal()
            if record or run_dir:
                journal = Journal.create(run_dir or new_run(target.parent, original.title))
            journal.tell(**job.to_json(), original=list(seen))
            return journal, seen

        return run_job(
            job,
            best,
            worker_options=WorkerOptions(jobs, cluster, executor),
            timeout=timeout,
            budget=Budget(max_queries, max_time, target_size),
            observers=observers,
            begin=begin,
        )
