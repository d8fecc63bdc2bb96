"""`nubbin.reduce`: the whole run, from a test and a file to the smallest file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from nubbin.documents.reading import executables, read
from nubbin.journal.journal import Journal
from nubbin.journal.unrecorded import Unrecorded
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.carry_out import carry_out
from nubbin.reduction.checks import check_test
from nubbin.reduction.events import Observer
from nubbin.reduction.job import Job
from nubbin.reduction.places import keep_original, place_for
from nubbin.reduction.plan import framework_of
from nubbin.reduction.reduction import Reduction
from nubbin.reduction.workplace import Workplace
from nubbin.search.budget import Budget
from nubbin.search.evidence import Evidence


def reduce(
    test: UserTest | Path | Callable[[Path], bool | None],
    input: Path | Sequence[Path],
    *,
    output: Path | None = None,
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
    run_dir: Path | None = None,
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

    With `run_dir`, a folder that need not exist, the run is recorded there, and can go on after
    any end: see `nubbin.resume`.

    A test that answers the same question differently is noticed, by asking a few questions twice,
    and then run on each candidate until that is known to be as good as the original; a best that
    does not hold is given up for an earlier one. With `runs` each candidate is run up to so many
    times instead, and interesting when one run is: 1 takes the test at its word.

    Costs three queries to check the test, one to run it afresh on the result, and about one for
    each fourfold of those in between to see that it is no flaky one. Raises WrongTest, whose text
    is a paragraph for the user, when the test or the input is wrong, or there are no workers; then
    nothing has been written, unless the test turned out to be flaky beyond use. Raises ValueError
    for an algorithm that does not exist, less than one job, or a cluster and an executor together.
    """
    framework_of(algorithm)
    original, root = read([input] if isinstance(input, Path) else input)
    job = Job(
        original,
        root,
        place_for(original, root, output, in_place=in_place).absolute(),
        UserTest.of(test),
        executables(original, root),
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

    def begin(command: Oracle) -> tuple[Journal | Unrecorded, Evidence]:
        seen = check_test(job.test, command, original)
        journal = Unrecorded() if run_dir is None else Journal.create(run_dir)
        journal.tell(**job.told(), original=list(seen))
        if in_place:
            keep_original(original, root)
        return journal, seen

    return carry_out(
        job,
        workplace=Workplace(jobs, cluster, executor),
        timeout=timeout,
        budget=Budget(max_queries, max_time, target_size),
        observers=observers,
        begin=begin,
    )
