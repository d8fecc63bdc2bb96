"""A reduction in an experiment: in this process with a Python function, or by the command line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from nubbin.documents.document import Document
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin_core.search.budget import Budget
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.search import Search
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Answer, Verdict

#: The command line of nubbin itself, from this checkout.
NUBBIN = [sys.executable, "-m", "nubbin"]
#: Runs of a test before the first query: twice the input, once the empty input.
CHECKS = 3


class Here(NamedTuple):
    """What came of a reduction in this process."""

    document: Document
    minimal: bool
    flaky: bool
    queries: int


def reduced(
    document: Document,
    holds: Callable[[Document], bool],
    *,
    smallest: str = "char",
    without: Collection[str] = (),
    max_queries: int | None = None,
    flaky: bool = False,
    sampled: bool = False,
) -> Here:
    """Reduce a document here, by all passes but some; NubbinError if the test is too flaky.

    No query takes longer than `holds` does. `flaky` says that the test was checked on an empty
    input, and `sampled` that some questions are asked twice.
    """
    budget = Budget(max_queries)

    def ask(candidate: Document) -> Answer:
        verdict = Verdict.INTERESTING if holds(candidate) else Verdict.UNINTERESTING
        return Answer(verdict, 0.0, None, False)

    nothing = document.emptied() if flaky else None
    known = {nothing.key: Trials(0, 1)} if nothing else {}
    passes = [each for each in passes_for(document, smallest) if each.name not in without]
    test = FlakyAwareTest(ask, document, known, nothing=nothing, sampled=sampled)
    ended = Reducer(
        Plan(tuple(passes)), Search(test, budget=budget), test, lambda event: None
    ).run()
    return Here(ended.document, ended.minimal, test.flaky, budget.queries)


def executable(path: Path, text: str) -> Path:
    """Write a program, and return its path."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def started(test: Path, source: Path, *options: object, **rest: object) -> subprocess.Popen[bytes]:
    """Start `nubbin reduce --quiet` with one job, which tells nothing."""
    line = [*NUBBIN, "reduce", "--quiet", "--jobs=1", *map(str, (*options, test, source))]
    null = subprocess.DEVNULL
    return subprocess.Popen(line, stdin=null, stdout=null, stderr=null, **rest)  # type: ignore[call-overload, no-any-return]
