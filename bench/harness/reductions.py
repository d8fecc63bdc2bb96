"""A reduction in an experiment: in this process with a Python function, or by the command line."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Collection
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.processes import cpu_of_children
from nubbin.answer import Answer
from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.minimizers import Settings
from nubbin.reduction.events import Event
from nubbin.reduction.pass_problem import PassProblem, Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin.search.budget import Budget
from nubbin.search.flaky_aware_test import FlakyAwareTest
from nubbin.search.search import Search
from nubbin.search.trials import Trials
from nubbin.verdict import Verdict

#: The command line of nubbin itself, from this checkout.
NUBBIN = [sys.executable, "-m", "nubbin"]
#: Runs of a test before the first query: twice the input, once the empty input.
CHECKS = 3


class Here(NamedTuple):
    """What came of a reduction in this process, and what it took.

    `own_s` are processor seconds without the test's, and with those of the process that parses, if
    it was started for this reduction.
    """

    document: Document
    minimal: bool
    flaky: bool
    queries: int
    own_s: float


def reduced(
    document: Document,
    holds: Callable[[Document], bool],
    *,
    smallest: str = "char",
    without: Collection[str] = (),
    max_queries: int | None = None,
    seed: int = 0,
    flaky: bool = False,
    sampled: bool = False,
    parses: bool = False,
    observer: Callable[[Event], None] = lambda event: None,
) -> Here:
    """Reduce a document here, by all passes but some; NubbinError if the test is too flaky.

    No query takes longer than `holds` does. `flaky` says that the test was checked on an empty
    input, and `sampled` that some questions are asked twice. With `parses`, the parser's process
    ends with the reduction, and its time counts.
    """
    tested_s, budget = 0.0, Budget(max_queries)

    def ask(candidate: Document) -> Answer:
        nonlocal tested_s
        begun = time.process_time()
        verdict = Verdict.INTERESTING if holds(candidate) else Verdict.UNINTERESTING
        tested_s += time.process_time() - begun
        return Answer(verdict, 0.0, None, False)

    nothing = document.emptied() if flaky else None
    known = {nothing.key: Trials(0, 1)} if nothing else {}
    begun = time.process_time() + cpu_of_children()
    with parsing() if parses else nullcontext():
        passes = [each for each in passes_for(document, smallest) if each.name not in without]
        test = FlakyAwareTest(ask, document, known, nothing=nothing, sampled=sampled)
        plan = Plan(tuple(passes), partial(PassProblem, settings=Settings(seed=seed)))
        ended = Reducer(plan, Search(test, budget=budget), test, observer).run()
    own_s = time.process_time() + cpu_of_children() - begun - tested_s
    return Here(ended.document, ended.minimal, test.flaky, budget.queries, own_s)


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
