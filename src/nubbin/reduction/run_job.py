"""Run a job: the passes to a fixpoint, the confirmation, the readable copy, the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from nubbin.documents.document import Document, Sizes
from nubbin.documents.outlines.lexis import unbalanced
from nubbin.journal.journal import Journal
from nubbin.journal.recorded_run import end_of
from nubbin.journal.run_facts import Baseline
from nubbin.journal.schema import Ran
from nubbin.passes.grain import ITEMS
from nubbin.reduction.events import Finished, Observer, Started, to_all
from nubbin.reduction.job import Job
from nubbin.reduction.observers.recorder import Recorder
from nubbin.reduction.observers.watched import Steering, TallyWriter
from nubbin.reduction.pass_problem import pieces_of
from nubbin.reduction.reducer import Reducer, ReductionEnd
from nubbin.reduction.result.beside import WordTable, small_text, write_readable
from nubbin.reduction.result.drift import Printed, failure_of_input, printed
from nubbin.reduction.result.place import ResultPlace
from nubbin.reduction.start.open_job import OpenJob
from nubbin_core.search.budget import Budget
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.problem import CachedVerdict, Count, VerdictCache
from nubbin_core.search.search import Search
from nubbin_core.search.trials import Trials


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job with all that it needs from its first query to its result.

    The `baseline` has the facts about the original. The `journal` has the answers so far, and gets
    the others; None records nothing.
    """

    opened: OpenJob
    place: ResultPlace
    baseline: Baseline
    journal: Journal | None = None

    def recorded(self, journal: Journal) -> JobRun:
        """Return the run with a new journal, which gets the facts about it."""
        job, pool = self.opened.job, self.opened.pool
        journal.tell(
            **job.facts(),
            **self.baseline.facts(),
            algorithm_source=job.algorithm.source,
            pass_sources=job.pass_sources,
            one_job=pool.alone,
        )
        return replace(self, journal=journal)

    def reduced(self, observers: Sequence[Observer]) -> Reduction:
        """Run the job from its original to its result.

        At the end the test runs on the result, on its readable copy, and once more to see what it
        prints; when the time is over, this is left out. Raises NubbinError if the test is too
        flaky, or if another process writes to the place of the result; OSError if something cannot
        be written.
        """
        job, journal, budget = self.opened.job, self.journal, self.opened.budget
        options, pool = job.options, self.opened.pool
        recorder = Recorder(journal, job, self.place, budget)
        heard: list[Observer] = [recorder]
        tell = to_all(heard, budget.shield)
        writes = (self.opened.oracle, pool, budget)
        tally = None if journal is None else TallyWriter(journal, *writes)
        words = WordTable(job.original, options.format) if options.obfuscate else None
        steering = Steering(journal, budget, pool, tell)
        heard += [each for each in (tally, words, *observers, steering) if each is not None]
        ran = {} if journal is None else journal.ran()
        test = self._test(recorder, ran)
        reducer = Reducer(self.opened.plan, self._search(test, steering, ran), test, tell)
        self._begin(recorder, tell)
        with tally or nullcontext():
            ended = reducer.run(flaky=self._is_flaky, best=recorder.best)
        result, end = ended.document, end_of(ended.reason)
        if test.allows_other_errors:
            job = replace(job, test=job.test.with_other_errors)
        # A run that ends in a hurry does not copy the result to its folder: `restore` can do that.
        recorder.leave(result, copied=not end.is_hurried)
        pretty = comparison = None
        if not end.is_broken_off:
            pretty = self._readable(result, test)
            comparison = None if test.flaky else self._printed(result)
            if job.test.is_of_project:
                _reproduce(job, budget, ended, comparison)
        tell(Finished(ended.reason, result.sizes, ended.minimal))
        outcome = self._outcome(job, ended, test, pretty, comparison)
        return replace(outcome, words=words.write(job.target)) if words else outcome

    def _search(
        self, test: FlakyAwareTest[Document], steering: Steering, ran: Mapping[bytes, Ran]
    ) -> Search[Document]:
        timeout = self.opened.job.options.timeout
        final = () if self._is_flaky else (each for each in ran.values() if each.is_final(timeout))
        verdicts = VerdictCache(
            (each.key, CachedVerdict(each.verdict, each.seconds)) for each in final
        )
        pool, budget = self.opened.pool, self.opened.budget
        return Search(test, pool=pool, budget=budget, verdicts=verdicts, check=steering.check)

    def _begin(self, recorder: Recorder, tell: Observer) -> None:
        job, options = self.opened.job, self.opened.job.options
        original, wanted = job.original, job.test.looking_for
        recorder.keep(original)
        setting = (options.algorithm, self.opened.pool.width, options.seed)
        items = options.smallest if options.smallest in ITEMS else ""
        where = (job.target, self._folder)
        tell(Started(original.title, original.sizes, *setting, *where, wanted, items))
        self.opened.doors.record(self._folder)

    def _outcome(
        self,
        job: Job,
        ended: ReductionEnd,
        test: FlakyAwareTest[Document],
        pretty: Path | None,
        comparison: Printed | None,
    ) -> Reduction:
        result, journal, budget = ended.document, self.journal, self.opened.budget
        options, is_done = job.options, end_of(ended.reason).is_done
        return Reduction(
            output=job.target,
            files=result.contents,
            before=job.original.sizes,
            after=result.sizes,
            queries=budget.queries,
            runs=test.runs + (comparison.runs if comparison else 0),
            by_kind=budget.by_kind,
            seconds=budget.seconds,
            algorithm=options.algorithm,
            reason=ended.reason,
            cause=ended.cause,
            unbalanced=_has_lone_bracket(result) and not _has_lone_bracket(job.original),
            minimal=ended.minimal,
            pieces=pieces_of(self.opened.passes, result) if ended.minimal else (),
            flaky=test.flaky,
            reproduced=ended.reproduced,
            others=0 if journal is None else len(journal.different_failures),
            pretty=pretty,
            printed=comparison,
            line=job.line(is_done=is_done),
            shown=budget.last(partial(small_text, result, options.format)),
            run=self._folder,
            exposed=options.obfuscate and not is_done,
        )

    @property
    def _folder(self) -> Path | None:
        return None if self.journal is None else self.journal.folder

    @property
    def _is_flaky(self) -> bool:
        """Whether candidates are repeated from the beginning."""
        was_flaky = self.journal is not None and self.journal.facts.flaky
        agreed = self.baseline.original.agrees and self.baseline.nothing.agrees
        return self.opened.job.options.runs is None and (was_flaky or not agreed)

    def _test(self, recorder: Recorder, ran: Mapping[bytes, Ran]) -> FlakyAwareTest[Document]:
        original, oracle, baseline = self.opened.job.original, self.opened.oracle, self.baseline
        nothing = original.emptied()
        recorded = {key: each.trials for key, each in ran.items()}
        return FlakyAwareTest(
            lambda document: oracle(document.contents),
            original,
            {nothing.key: baseline.nothing, **recorded, original.key: baseline.original},
            nothing=nothing,
            note=recorder.note,
            sampled=self.opened.job.options.runs is None,
            pool=self.opened.pool,
        )

    def _readable(self, result: Document, test: FlakyAwareTest[Document]) -> Path | None:
        """Write a readable copy if the user wants one; return its place."""
        job = self.opened.job
        with suppress(BrokenExecutor):
            write = partial(write_readable, job, result, test, self.journal)
            return self.opened.budget.last(write) if job.options.pretty else None
        return None

    def _printed(self, result: Document) -> Printed | None:
        """Return what the test prints, if it printed anything for the original."""
        job, budget, failure = self.opened.job, self.opened.budget, failure_of_input(self.baseline)
        # The journal tells which step lost the failure.
        run = None if budget.is_over_for_queries else self._folder
        with suppress(BrokenExecutor, KeyboardInterrupt):
            if failure is not None:
                explain, asked = self.opened.oracle.explain, job.test.printing
                ask = partial(printed, failure, job.original, result, explain, run, asked=asked)
                return budget.last(ask)
        return None


def _reproduce(job: Job, budget: Budget, ended: ReductionEnd, comparison: Printed | None) -> None:
    from nubbin.oracles.tracing.traced_test import NOTHING_USED  # noqa: PLC0415 - with projects only
    from nubbin.reduction.result.reproduction import write_reproduction  # noqa: PLC0415
    from nubbin.reduction.start.tracing import used_by  # noqa: PLC0415

    used = budget.last(partial(used_by, job, ended.document)) or NOTHING_USED
    write_reproduction(job, ended.document, used, comparison, minimal=ended.minimal)


def _has_lone_bracket(document: Document) -> bool:
    return any(map(unbalanced, document.data.values()))


@dataclass(frozen=True, slots=True, repr=False)
class Reduction:
    """The outcome of a reduction.

    `files` are the contents of the result by path, as written to `output`; a symbolic link is a
    `Link`, the bytes of its target. `queries` counts the answers that a minimizer needed, `by_kind`
    by their kinds, and `runs` all executions of the test. `reason` is that of `Finished`. `minimal`
    is True if the test really ran on every single removal from the result, and rejected it; the
    removals were of `pieces`, such as `("a file", "a character")`. `cause` says what became of lost
    workers.

    `flaky` tells whether runs on the same candidate disagreed, and `reproduced` has the last runs
    on the result. `others` counts the different failures, which are in the folder `other` of the
    `run`. `pretty` is the path of the readable copy. `printed` compares the failures that the test
    prints; None if it prints none for the input, or is flaky. `line` is the command line that shows
    the failure. `shown` is the text of a small result with line breaks. If the reduction was broken
    off or its time was over, `reproduced`, `pretty` and `printed` are None, and `shown` may be.

    The result is `unbalanced` if its brackets do not balance, and those of the input do. `words` is
    the path of the table of an obfuscated result; `exposed`: the run ended before it was finished.
    """

    output: Path
    files: dict[str, bytes]
    before: Sizes
    after: Sizes
    queries: int
    runs: int
    by_kind: dict[str, Count]
    seconds: float
    algorithm: str
    reason: str
    minimal: bool
    pieces: tuple[str, ...]
    flaky: bool
    reproduced: Trials | None
    others: int
    pretty: Path | None
    printed: Printed | None
    line: str | None
    shown: str | None
    run: Path | None
    cause: str | None = None
    unbalanced: bool = False
    words: Path | None = None
    exposed: bool = False

    def __repr__(self) -> str:
        return (
            f"Reduction(output={str(self.output)!r}, bytes={self.before.bytes} -> "
            f"{self.after.bytes}, queries={self.queries}, reason={self.reason!r}, "
            f"minimal={self.minimal})"
        )

    @property
    def data(self) -> bytes:
        """The bytes of the result if it is one file; ValueError if it is not."""
        (data,) = self.files.values()
        return data
