"""Drift: the test accepts the result, but prints a different failure than for the input."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nubbin.documents.document import Document
from nubbin.journal.reading import candidate
from nubbin.journal.recorded_run import RecordedRun
from nubbin.journal.run_facts import Baseline
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.isolation.candidate_files import Files
from nubbin_core.late import late
from nubbin_core.verdict import Answer

if TYPE_CHECKING:
    from nubbin.oracles.failures.failure import Failure

_failure = late("nubbin.oracles.failures.failure:Failure")
_failure_in = late("nubbin.oracles.failures.failure:Failure.of")
_line_asked = late("nubbin.oracles.failures.failure:line_asked")
_masked = late("nubbin.oracles.failures.masking:masked")


@dataclass(frozen=True, slots=True)
class Printed:
    """What the test prints about the failure: a line for the input, and one for the result.

    If it has `drifted`, the output for the result lacks the failure of the input, which `pattern`
    matches. `step` is the number of the accepted candidate that lost it; None without a journal.
    `gone` are functions in the stacks for the input that are in none for the result. The comparison
    cost `runs` runs of the test.
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

    Output that matches `asked`, the expression for what the test must print, is the same failure.

    Costs a run of the test. If the failure or a function in its stacks is missing, the test runs
    again on the input, and output that differs between these runs is not compared. If it has
    drifted then, and the folder `run` has a journal, a binary search over the accepted candidates
    finds the one that lost it.
    """
    runs = 0

    def output_for(files: Files) -> bytes:
        nonlocal runs
        runs += 1
        return explain(files).output

    output = output_for(result.contents)
    is_asked = bool(asked) and Regex("", asked).is_soon_in(output)
    drifted, gone = False, tuple[str, ...]()
    if not (is_asked or failure.is_in(output)) or failure.frames_gone(output):
        again = failure.seen_in(output_for(original.contents))
        if again is not None:
            failure, gone = again, again.frames_gone(output)
            drifted = not (is_asked or failure.is_in(output))
    step = _step_that_lost(failure, run, output_for) if drifted and run is not None else None
    now = failure_of(output, result, asked)
    line = "" if now is None else now.line
    # Process ids and addresses differ between runs, and names of the input shrink with it.
    source = original.names_and_text
    is_same = _masked(line, source) == _masked(failure.line, source)
    at_first = line if is_same else failure.line
    return Printed(at_first, line, failure.patterns[0], drifted, step, runs, gone)


def _step_that_lost(failure: Failure, run: Path, output_for: Callable[[Files], bytes]) -> int:
    """Return the number of the first accepted candidate whose output lacks a failure."""
    between = range(2, len(RecordedRun.open(run).steps))
    lacks = lambda number: not failure.is_in(output_for(candidate(run, number)))  # noqa: E731
    return between.start + bisect_left(between, True, key=lacks)


def failure_of_input(baseline: Baseline) -> Failure | None:
    """Return the failure of the input as it was recorded; None if the test printed none."""
    if baseline.failure is None:
        return None
    line, *patterns = baseline.failure
    failure: Failure = _failure(line, tuple(patterns), baseline.frames)
    return failure


def failure_of(output: bytes, document: Document, asked: str = "") -> Failure | None:
    """Return the failure in the output for a document; None if there is none.

    Its line is one that matches `asked`, what the test must print, if there is one.
    """
    # The words of a large document are looked up only if anything is printed.
    if not output.strip():
        return None
    failure: Failure | None = _failure_in(output, document.names_and_text)
    line = _line_asked(asked, output, document.names_and_text) if failure and asked else ""
    return replace(failure, line=line) if failure is not None and line else failure
