"""Drift: the test is interesting for the result, but prints another failure than for the input."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nubbin.documents.document import Document
from nubbin.journal.run_facts import RunFacts
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.isolation.candidate_files import Files
from nubbin_core.answer import Answer
from nubbin_core.late import late
from nubbin_core.search.trials import REFUSED_ONCE, Trials

if TYPE_CHECKING:
    from nubbin.oracles.failures.failure import Failure

_candidate = late("nubbin.journal.reading:candidate")
_failure = late("nubbin.oracles.failures.failure:Failure")
_failure_in = late("nubbin.oracles.failures.failure:Failure.of")
_line_asked = late("nubbin.oracles.failures.failure:line_asked")
_masked = late("nubbin.oracles.failures.masking:masked")
_opened = late("nubbin.runs.recorded_run:RecordedRun.open")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known of the original: its trials, and what the test printed of its failure.

    `nothing` are the trials of the empty input, of which the last was not interesting. `said` are
    texts of what was printed, as `Job` has them.
    """

    trials: Trials
    failure: Failure | None
    nothing: Trials = REFUSED_ONCE
    said: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as the facts that a journal keeps."""
        failure = None if self.failure is None else [self.failure.line, *self.failure.patterns]
        return {
            "original": list(self.trials),
            "failure": failure,
            "frames": [] if self.failure is None else list(self.failure.frames),
            "nothing": list(self.nothing),
        }

    @classmethod
    def of(cls, facts: RunFacts) -> Self:
        """Return what a journal knows of the original."""
        if facts.failure is None:
            return cls(facts.original, None, facts.nothing)
        line, *patterns = facts.failure
        return cls(facts.original, _failure(line, tuple(patterns), facts.frames), facts.nothing)


@dataclass(frozen=True, slots=True)
class Printed:
    """What the test prints of the failure: a line for the input, and one for the result.

    If `drifted`, the result says nothing of what the input did: `pattern` matches that, and `step`
    is the number of an accepted candidate that lost it while the one before had it; None without a
    journal. `gone` are functions that were in stacks for the input, and are not for the result. All
    that cost `runs` runs of the test.
    """

    at_first: str
    now: str
    pattern: str
    drifted: bool
    step: int | None
    runs: int
    gone: tuple[str, ...] = ()


def printed(
    failure: Failure,
    original: Document,
    result: Document,
    explain: Callable[[Files], Answer],
    run: Path | None,
    *,
    asked: str = "",
) -> Printed:
    """Compare what the test prints for a result with the failure of the input.

    What matches `asked`, the expression for what the test must print, is that failure.

    Costs a run of the test. If the failure is not there, or a function in its stacks is not, the
    input is run once more, and what is not printed again is chance, and is not compared. If it has
    drifted then, and is recorded in the folder `run`, it costs also a run for each halving of the
    number of accepted candidates.
    """
    runs = 0

    def output_for(files: Files) -> bytes:
        nonlocal runs
        runs += 1
        return explain(files).output

    output = output_for(result.contents)
    is_asked = bool(asked) and Regex("", asked).is_soon_in(output)
    is_whole = (is_asked or failure.is_in(output)) and not failure.frames_gone(output)
    again = failure if is_whole else failure.seen_in(output_for(original.contents))
    drifted = again is not None and not (is_asked or again.is_in(output))
    gone = () if again is None else again.frames_gone(output)
    failure = again or failure
    step = None
    if drifted and run is not None:
        between = range(2, len(_opened(run).steps))
        step = between.start + bisect_left(
            between, True, key=lambda number: not failure.is_in(output_for(_candidate(run, number)))
        )
    now = failure_of(output, result, asked)
    line = "" if now is None else now.line
    # Process ids and addresses differ in each run, and names of the input shrink with it.
    source = original.names_and_text
    is_same = _masked(line, source) == _masked(failure.line, source)
    at_first = line if is_same else failure.line
    return Printed(at_first, line, failure.patterns[0], drifted, step, runs, gone)


def failure_of(output: bytes, document: Document, asked: str = "") -> Failure | None:
    """Return what the output for a document says of a failure; None if it says nothing.

    If a line matches `asked`, what the test must print, that line is the one that is told.
    """
    # Nobody looks up words in a large document if nothing is printed.
    if not output.strip():
        return None
    failure: Failure | None = _failure_in(output, document.names_and_text)
    line = _line_asked(asked, output, document.names_and_text) if failure and asked else ""
    return replace(failure, line=line) if failure is not None and line else failure
