"""Check that runs of the test at the same time do not disturb each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import cycle, islice

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import FLAKY
from nubbin.documents.document import Document
from nubbin_core.pool import Pool
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

#: Each document is run alone: ten times, or fewer if that takes longer.
_RUNS_ALONE = 10
_MIN_RUNS_ALONE = 3
_MAX_ALONE_S = 30.0
#: Runs disturb each other if three of twenty parallel runs answer differently than alone.
#: A flaky test with one wrong answer in ten seems to be disturbed in 4 % of all cases.
_RUNS_AT_ONCE = 20
_MIN_WRONG = 3
#: The parallel runs that `nubbin check` makes for each job.
_ROUNDS = 3

DISTURBED = (
    "Concurrent runs of the test interfere: run one at a time, they agree; run in parallel, "
    "they do not. They may share a file, a port or a database. Let the test write into its "
    "current folder, or TMPDIR, alone, and let the system choose ports; or give --jobs 1."
)


def alone_if_disturbed(
    ask: Callable[[Document], Verdict], documents: Sequence[Document], pool: Pool
) -> Trials | None:
    """Return the trials of the first document alone if parallel runs disturb each other.

    None if they do not, if the test is flaky even when it runs alone, or if it does not find the
    first document interesting. Costs up to twenty runs, and ten for each document.
    """
    begun = time.monotonic()
    alone: list[Verdict] = []
    runs = 0
    while runs < _RUNS_ALONE and (
        runs < _MIN_RUNS_ALONE or time.monotonic() - begun < _MAX_ALONE_S
    ):
        answers = [ask(document) for document in documents]
        if answers[0] is not Verdict.INTERESTING or alone not in ([], answers):
            return None
        alone = answers
        runs += 1
    with closing(pool.each(ask, islice(cycle(documents), _RUNS_AT_ONCE))) as answered:
        wrong = (None for verdict, right in zip(answered, cycle(alone)) if verdict is not right)
        is_disturbed = len(list(islice(wrong, _MIN_WRONG))) == _MIN_WRONG
    return Trials(runs, runs) if is_disturbed else None


def measured(case: Case) -> Trials | None:
    """Return the trials of the input alone if parallel runs disturb each other."""
    if not case.runs_in_parallel:
        return None
    ask = lambda document: case.oracle(document.contents).verdict  # noqa: E731
    documents = (case.document, case.document.emptied())
    return alone_if_disturbed(ask, documents, case.pool)


def disturbance(case: Case) -> Finding | None:
    """Find out whether runs disturb each other; costs three runs a job, and more if they seem to.

    Runs of the input and of the empty input alternate: equal runs would not reveal a shared file.
    Does nothing if the test is known to be flaky when it runs alone.
    """
    if not case.runs_in_parallel or not case.alone.agrees:
        return None
    right = (Verdict.INTERESTING, case.nothing().verdict)
    documents = (case.document.contents, case.document.emptied().contents)
    runs = _ROUNDS * case.pool.width
    answers = case.at_once(list(islice(cycle(documents), runs)))
    wrong = sum(
        answer.verdict is not verdict
        for answer, verdict in zip(answers, cycle(right), strict=False)
    )
    disturbed = wrong or case.contradicted or not case.trials.agrees
    if disturbed and measured(case) is not None:
        return Finding("problem", DISTURBED)
    if wrong:
        return Finding("problem", f"{wrong} of {runs} runs said otherwise. {FLAKY}")
    text = f"{runs} runs, {case.pool.width} at the same time, do not disturb each other."
    return Finding("fine", text)
