"""`nubbin.reduce`: the whole run, from a test and a file to the smallest file."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.reading import executables, read
from nubbin.documents.sizes import Sizes
from nubbin.executors.local import LocalExecutor
from nubbin.minimizers import ALGORITHMS, Settings
from nubbin.oracles.command import CommandOracle
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.checks import CHECKS, check_test, confirm
from nubbin.reduction.events import Finished, Observer, Started
from nubbin.reduction.places import keep_original, place_for
from nubbin.reduction.plan import framework_of, passes_for
from nubbin.reduction.protection import Protection
from nubbin.reduction.run import Run
from nubbin.search.budget import Budget
from nubbin.search.counts import KindCount


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a reduction came to.

    `files` are the contents of the result by path, as written to `output`. `queries` counts
    every run of the test, checks and speculation included, `by_kind` those that a minimizer
    needed. `reason` is `fixpoint`, `max-queries`, `max-time`, `target-size` or `interrupted`;
    `minimal` is True when every single removal from the result, at the finest level asked for,
    was really run and refused.
    """

    output: Path
    files: dict[str, bytes]
    before: Sizes
    after: Sizes
    queries: int
    by_kind: dict[str, KindCount]
    seconds: float
    algorithm: str
    reason: str
    minimal: bool

    @property
    def data(self) -> bytes:
        """The bytes of the result, where it is one file; ValueError where it is not."""
        (data,) = self.files.values()
        return data


def reduce(
    test: Path,
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
    seed: int = 0,
    p0: float = 0.1,
    timeout: float | None = None,
    memory: int | None = None,
    max_queries: int | None = None,
    max_time: float | None = None,
    target_size: int | None = None,
    observers: Sequence[Observer] = (),
) -> Reduction:
    """Reduce a file, a folder or several of them to the least that a test finds interesting.

    `test` is an executable that exits 0 while the file is interesting, 125 when it cannot
    say, anything else when it is not; it runs in an empty folder with the candidate under the
    input's own name, which is also its last argument and, if it is a file, its standard input.
    Several inputs lie there as they do below the folder that holds them all, and that folder is
    the last argument. The result goes to `output`, by default NAME.reduced.EXT beside the input;
    `in_place` replaces the input and keeps the original as INPUT.orig. The best so far is on disk
    at every moment.

    `atom` is what is deleted: `lines`, `tokens`, `chars`, `bytes`, or `auto`: syntax first where
    there is a grammar for the file, lines where there is none, then tokens, then characters,
    to a fixpoint, or only as fine as `minimality` says: `tree`, `token` or `char`. `format` names
    the language where a file's name and contents do not. What the regular expression `keep`
    matches stays as it is, as does what `only` does not match, and every line with the words
    `nubbin: keep`. `algorithm` names a minimizer; `hdd:` before it runs it on the levels of the
    syntax tree, to a fixpoint, and leaves out all else. `jobs` workers (default: all cores) change
    the time, not the result. `timeout` is in seconds a run (default: learned from the runs),
    `memory` in bytes a run, `max_time` in seconds, `max_queries` in answers needed, and
    `target_size` in bytes. Ctrl-C ends the reduction with the best so far and the reason
    `interrupted`.

    Costs three queries to check the test and one to run it afresh on the result. Raises
    WrongTest, whose text is a paragraph for the user, when the test or the input is wrong;
    then nothing has been written, unless the test turned out flaky at the very end. Raises
    ValueError for an algorithm that does not exist.
    """
    framework, minimizer = framework_of(algorithm)
    started = time.monotonic()
    original, root = read([input] if isinstance(input, Path) else input)
    passes = passes_for(original, atom, format, minimality, framework)
    protection = Protection.of(original, keep, only)
    target = place_for(original, root, output, in_place=in_place)
    workers = jobs or _cores()
    with (
        CommandOracle(
            test,
            original.name,
            timeout=timeout or Timeout(),
            memory=memory,
            executables=executables(original, root),
        ) as command,
        LocalExecutor(workers) if workers > 1 else nullcontext() as executor,
    ):

        def oracle(document: Document) -> Verdict:
            return command(document.contents).verdict

        check_test(test, command, original)
        if in_place:
            keep_original(original, root)
        run = Run(
            original,
            oracle,
            Best(root, target),
            ALGORITHMS[minimizer],
            Settings(p0, seed),
            executor=executor,
            width=workers,
            budget=Budget(max_queries, max_time, target_size),
            observers=observers,
            wanted=protection.allows,
        )
        run.tell(Started(original.title, original.sizes, algorithm, workers, seed))
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
        files=run.document.contents,
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
