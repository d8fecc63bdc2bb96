"""Check that runs of the test agree: one after the other, and at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import cycle, islice

from nubbin.checks.case import Case, Finding
from nubbin.documents.document import Document
from nubbin.text.figures import duration
from nubbin_core.pool import Pool
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

FLAKY = (
    "The test is flaky, so nubbin would run each candidate until it knows how often it fails. Make "
    "the test deterministic: fix seeds, the number of threads and the clock. Or let it run the "
    "tool several times, as --runs N does."
)

#: The input is run alone: five times, or until the time is over, but at least twice.
_RUNS = 5
_MAX_S = 10.0

_SLOW_S = 10.0


def repetition(case: Case) -> Iterator[Finding]:
    """Run the test on the input repeatedly, one run at a time; costs up to five runs."""
    begun = time.monotonic()
    while case.alone.runs < _RUNS and (case.alone.runs < 2 or time.monotonic() - begun < _MAX_S):
        case.run(case.document)
    yes, runs = case.alone
    text = f"One run at a time finds {case.document.title} interesting {yes} times of {runs}."
    if case.alone.agrees and yes:
        yield Finding("repetition", "fine", text)
    else:
        yield Finding("repetition", "problem", f"{text} {FLAKY}")


def limits(case: Case) -> Iterator[Finding]:
    """Report the time of the runs so far, and the limit; costs no run."""
    seconds = case.seconds
    if seconds is None:
        return
    stopped = "never stopped" if case.limit is None else f"stopped after {case.limit:.0f} s"
    memory = "" if case.spec.memory is None else f" or {case.spec.memory:,} bytes of memory"
    text = f"A run takes {duration(seconds)} and is {stopped}{memory}."
    if seconds < _SLOW_S:
        yield Finding("limits", "fine", text)
        return
    hours = 1000 * seconds / case.pool.width / 3600
    yield Finding(
        "limits",
        "doubt",
        f"{text} A thousand queries take {hours:.1f} hours. Leave out what the bug does not need, "
        "or start a slow tool once, by --server or --python.",
    )


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
    if not case.several:
        return None
    ask = lambda document: case.oracle(document.contents).verdict  # noqa: E731
    documents = (case.document, case.document.emptied())
    return alone_if_disturbed(ask, documents, case.pool)


def disturbance(case: Case) -> Iterator[Finding]:
    """Find out whether runs disturb each other; costs three runs a job, and more if they seem to.

    Runs of the input and of the empty input alternate: equal runs would not reveal a shared file.
    Does nothing if the test is known to be flaky when it runs alone.
    """
    if not case.several or not case.alone.agrees:
        return
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
        yield Finding("disturbance", "problem", DISTURBED)
    elif wrong:
        yield Finding("disturbance", "problem", f"{wrong} of {runs} runs said otherwise. {FLAKY}")
    else:
        text = f"{runs} runs, {case.pool.width} at the same time, do not disturb each other."
        yield Finding("disturbance", "fine", text)
