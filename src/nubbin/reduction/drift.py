"""Drift: the test is interesting for the result, but prints another failure than for the input."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Self

from nubbin.documents.document import Document
from nubbin.journal.facts import RunFacts
from nubbin.journal.reading import candidate
from nubbin.oracles.candidate_files import Files
from nubbin.oracles.failure_formats import recognised
from nubbin.oracles.masking import masked, says_something
from nubbin.oracles.messages import lines_of, telling
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import excerpt
from nubbin.oracles.regex import compiled
from nubbin.oracles.shell_words import sayable
from nubbin.runs.recorded_run import RecordedRun
from nubbin.search.trials import Trials

#: The bytes of an output that are looked at, and the expressions that are kept of it.
_EXCERPT_BYTES = 64 << 10
_MAX_PATTERNS = 20

_REFUSED_ONCE = Trials(0, 1)


@dataclass(frozen=True, slots=True)
class Failure:
    """What an output says of a failure.

    `line` is the most telling line. Each of `patterns` is a regular expression for a report or a
    telling line, and matches if it is printed again for a smaller input.
    """

    line: str
    patterns: tuple[str, ...]

    @classmethod
    def of(cls, output: bytes, document: Document) -> Self | None:
        """Return what the output for a document says of a failure; None if it says nothing."""
        text = os.fsdecode(excerpt(output, _EXCERPT_BYTES))
        if not text.strip():
            return None  # and nobody looks up words in a large document
        patterns = tuple(islice(_patterns(text, document.names_and_text), _MAX_PATTERNS))
        if not patterns:
            return None
        found = compiled("", patterns[0]).search(os.fsencode(text))
        lines = lines_of(os.fsdecode(found[0]) if found else text)
        return cls(next(telling(lines), lines[0]), patterns)

    def is_in(self, output: bytes) -> bool:
        """Tell whether an output says the same of a failure, or some of it."""
        return any(compiled("", pattern).search(output) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known of the original: its trials, and what the test printed of its failure.

    `nothing` are the trials of the empty input, of which the last was not interesting.
    """

    trials: Trials
    failure: Failure | None
    nothing: Trials = _REFUSED_ONCE

    def to_json(self) -> dict[str, Any]:
        """Return it as the facts that a journal keeps."""
        failure = None if self.failure is None else [self.failure.line, *self.failure.patterns]
        return {
            "original": list(self.trials),
            "failure": failure,
            "nothing": list(self.nothing),
        }

    @classmethod
    def of(cls, facts: RunFacts) -> Self:
        """Return what a journal knows of the original."""
        if facts.failure is None:
            return cls(facts.original, None, facts.nothing)
        line, *patterns = facts.failure
        return cls(facts.original, Failure(line, tuple(patterns)), facts.nothing)


@dataclass(frozen=True, slots=True)
class Printed:
    """What the test prints of the failure: a line for the input, and one for the result.

    If `drifted`, the result says nothing of what the input did: `pattern` matches that, and `step`
    is the number of an accepted candidate that lost it while the one before had it; None without a
    journal. All that cost `runs` runs of the test.
    """

    at_first: str
    now: str
    pattern: str
    drifted: bool
    step: int | None
    runs: int


def printed(
    failure: Failure, result: Document, explain: Callable[[Files], Answer], run: Path | None
) -> Printed:
    """Compare what the test prints for a result with the failure of the input.

    Costs a run of the test; if it has drifted and is recorded in the folder `run`, also one for
    each halving of the number of accepted candidates.
    """
    runs = 0

    def output_for(files: Files) -> bytes:
        nonlocal runs
        runs += 1
        return explain(files).output

    output = output_for(result.contents)
    drifted = not failure.is_in(output)
    step = None
    if drifted and run is not None:
        between = range(2, len(RecordedRun.open(run).steps))
        step = between.start + bisect_left(
            between, True, key=lambda number: not failure.is_in(output_for(candidate(run, number)))
        )
    now = Failure.of(output, result)
    line = "" if now is None else now.line
    return Printed(failure.line, line, failure.patterns[0], drifted, step, runs)


def _patterns(text: str, source: str) -> Iterator[str]:
    """Yield expressions for the reports in an output, or if there are none, its telling lines."""
    reports = dict.fromkeys(map(sayable, recognised(text, source)))
    yield from reports
    if not reports:
        for line in dict.fromkeys(telling(lines_of(text))):
            if line not in source and says_something(pattern := masked(line, source)):
                yield sayable(pattern)
