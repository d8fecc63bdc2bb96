"""`nubbin.reduce`: the whole run, from a test and a file to the smallest file."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.sizes import Sizes
from nubbin.executors.local import LocalExecutor
from nubbin.minimizers import ALGORITHMS, Settings
from nubbin.oracles.command import CommandOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best, original_beside, place_for
from nubbin.reduction.checks import CHECKS, check_test, confirm
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.plan import framework_of, passes_for
from nubbin.reduction.run import Run
from nubbin.search.budget import Budget
from nubbin.search.counts import KindCount


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a reduction came to.

    `data` is the result, written to `output`. `queries` counts every run of the test, checks
    and speculation included, `by_kind` those that a minimizer needed. `reason` is `fixpoint`,
    `max-queries`, `max-time` or `interrupted`; `minimal` is True when every single removal
    from the result, at the finest level asked for, was really run and refused.
    """

    output: Path
    data: bytes
    before: Sizes
    after: Sizes
    queries: int
    by_kind: dict[str, KindCount]
    seconds: float
    algorithm: str
    reason: str
    minimal: bool


def reduce(
    test: Path,
    input: Path,
    *,
    output: Path | None = None,
    in_place: bool = False,
    algorithm: str = "auto",
    atom: str = "auto",
    format: str | None = None,
    jobs: int | None = None,
    seed: int = 0,
    p0: float = 0.1,
    timeout: float | None = None,
    memory: int | None = None,
    max_queries: int | None = None,
    max_time: float | None = None,
    observers: Sequence[Observer] = (),
) -> Reduction:
    """Reduce a file to the smallest that a test still finds interesting.

    `test` is an executable that exits 0 while the file is interesting, 125 when it cannot
    say, anything else when it is not; it runs in an empty folder with the candidate under the
    file's own name, which is also its last argument and its standard input. The result goes
    to `output`, by default NAME.reduced.EXT beside the file; `in_place` replaces the file and
    keeps the original as INPUT.orig. The best so far is on disk at every moment.

    `atom` is what is deleted: `lines`, `tokens`, `chars`, `bytes`, or `auto`: syntax first where
    there is a grammar for the file, lines where there is none, then tokens, then characters,
    to a fixpoint. `format` names the language where the file's name and contents do not.
    `algorithm` names a minimizer; `hdd:` before it runs it on the levels of the syntax tree, to
    a fixpoint, and leaves out all else. `jobs` workers (default: all cores) change the time, not
    the result. `timeout` is in seconds a run (default: learned from the runs), `memory` in bytes
    a run, `max_time` in seconds, `max_queries` in answers needed. Ctrl-C ends the reduction with
    the best so far and the reason `interrupted`.

    Costs three queries to check the test and one to run it afresh on the result. Raises
    WrongTest, whose text is a paragraph for the user, when the test or the input is wrong;
    then nothing has been written, unless the test turned out flaky at the very end. Raises
    ValueError for an algorithm that does not exist.
    """
    framework, minimizer = framework_of(algorithm)
    started = time.monotonic()
    original = Document(input.name, input.read_bytes())
    passes = passes_for(original, atom, format, framework)
    target = place_for(input, output, in_place=in_place)
    workers = jobs or _cores()
    with (
        CommandOracle(test, original.name, timeout=timeout or Timeout(), memory=memory) as command,
        LocalExecutor(workers) if workers > 1 else nullcontext() as executor,
    ):

        def oracle(document: Document) -> Verdict:
            return command({document.name: document.data}).verdict

        check_test(test, command, original)
        if in_place:
            shutil.copy2(input, original_beside(input))
        run = Run(
            original,
            oracle,
            Best(input, target),
            ALGORITHMS[minimizer],
            Settings(p0, seed),
            executor=executor,
            width=workers,
            budget=Budget(max_queries, max_time),
            observers=observers,
        )
        run.tell(Started(original.name, original.sizes, algorithm, workers, seed))
        reason, minimal = run.until_done(passes)
        runs = len(run.search.verdicts) + CHECKS
        if reason != "interrupted":
            try:
                runs += confirm(oracle, run.document, target)
            except KeyboardInterrupt:
                reason = "interrupted"
        run.tell(Finished(reason, run.document.sizes, minimal))
    return Reduction(
        output=target,
        data=run.document.data,
        before=original.sizes,
        after=run.document.sizes,
        queries=runs,
        by_kind=run.by_kind,
        seconds=time.monotonic() - started,
        algorithm=algorithm,
        reason=reason,
        minimal=minimal,
    )


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
