"""Whether a test can be trusted: it is repeated, disturbed, and run on other files."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import cycle, islice

from nubbin.checks.case import Case, Finding
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.documents.outlines.lexis import QUOTED, lexed
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.pattern import pattern
from nubbin.text.figures import duration
from nubbin_core.pool import Pool
from nubbin_core.search.flaky_aware_test import HOW_TO_BE_STEADY
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

FLAKY = (
    "The test is flaky, so nubbin would run each candidate until it knows how often it fails. "
    f"Make the test deterministic: {HOW_TO_BE_STEADY}"
)

#: The number of candidates, and the fraction of the largest file that each of them lacks.
_CANDIDATES = 8
_DELETED_FRACTION = 1 / 8


def sensitivity(case: Case) -> Finding:
    """Run the test on the input without random eighths; costs eight runs.

    Always the same candidates: the random numbers have a fixed seed.
    """
    chance = random.Random(0)
    files = case.document.contents
    answers = case.at_once([_without_part(files, chance) for _ in range(_CANDIDATES)])
    kept = sum(answer.verdict is Verdict.INTERESTING for answer in answers)
    name = case.document.title
    part = f"a random eighth of {'the largest file of ' if len(files) > 1 else ''}{name}"
    text = f"Of {_CANDIDATES} candidates that lack {part}, the test accepts {kept}"
    if kept:
        return Finding("fine", f"{text}.")
    return Finding(
        "doubt",
        f"{text}. Nearly all of it may be needed; or the test asks for more than the "
        "misbehaviour, such as an exact output, a line number or a size.",
    )


def accepts_shuffled(case: Case) -> Finding | None:
    """Run the test on the input with its bytes shuffled; costs a run."""
    files, chance = case.document.contents, random.Random(0)
    texts = {path: files[path] for path in _texts(files)}
    shuffled = {path: bytes(chance.sample(data, len(data))) for path, data in texts.items()}
    if case.ask({**files, **shuffled}).verdict is not Verdict.INTERESTING:
        return None
    return Finding(
        "doubt",
        f"{case.test} accepts {case.document.title} even with its bytes shuffled, so the "
        "result may make no sense. If that is not meant, make it look for the message, the signal "
        "or the wrong output, or demand that a tool can read the input (--valid CMD).",
    )


def _without_part(files: Files, chance: random.Random) -> Files:
    """Return files without a random part of the largest: whole lines if it has at least eight."""
    path = max(_texts(files), key=lambda each: len(files[each]))
    lines = files[path].splitlines(keepends=True)
    parts = lines if len(lines) >= _CANDIDATES else [bytes([byte]) for byte in files[path]]
    length = max(1, round(len(parts) * _DELETED_FRACTION))
    start = chance.randrange(max(1, len(parts) - length + 1))
    return {**files, path: b"".join(parts[:start] + parts[start + length :])}


def _texts(files: Files) -> list[str]:
    return [path for path, data in files.items() if not isinstance(data, Link)]


# The start of a program: `int main(void) {`, `fn main() {`, `static void main(String[] a) {`.
_MAIN = pattern(rb"\bmain\s*\([^(){};]*\)[^(){};=]*\{")
_PACKAGE = pattern(rb"^package\s+\w+[^\n]*\n", re.MULTILINE)
# A string, which is kept, or a comment or a directive, which is removed.
_COMMENT = pattern(rb"(%b)|//[^\n]*|/\*.*?\*/|^#[^\n]*" % QUOTED, re.DOTALL | re.MULTILINE)


def idle_program(case: Case) -> Finding | None:
    """Find out whether a program that does nothing is interesting; costs a run if there is one.

    In C, Go or Java, an empty file is not a program. So this keeps the `main` of the input, with an
    empty body. A test that compiles the candidate, but then runs an older program, accepts it.
    """
    for path, data in case.document.contents.items():
        if isinstance(data, Link) or (program := idle(data)) is None:
            continue
        files = {**case.document.contents, path: program}
        if case.ask(files).verdict is not Verdict.INTERESTING:
            return None
        return Finding(
            "doubt",
            f"{case.test} accepts {path} even as a program that does nothing, "
            f"{os.fsdecode(program.strip())!r}. Unless no program can be compiled, the test may "
            "run an old program and not the one it compiles from the candidate. Let it write the "
            "program into its current folder, run that, and stop if the compiler fails.",
        )
    return None


def idle(data: bytes) -> bytes | None:
    """Return a program of an empty `main` and the blocks around it; None if there is no `main`."""
    code = _COMMENT.sub(rb"\1", data)
    main = _MAIN.search(code)
    if main is None:
        return None
    text, body = lexed(code), main.end() - 1
    around = [brace for brace, end in text.partners.items() if brace < body < end]
    headers = list[bytes]()
    for brace in [*sorted(each for each in around if code[each] == ord("{")), body]:
        ends = [0, *(at + 1 for at in text.marks if at < brace and code[at] in b"{};")]
        line = code.rfind(b"\n", 0, main.start()) + 1 if brace == body else 0
        headers.append(code[max(*ends, line) : brace + 1])
    package = _PACKAGE.search(code)
    within = b"".join(headers).lstrip() + b"}" * len(headers) + b"\n"
    return (package[0] if package else b"") + within


#: The input is run alone: five times, or until the time is over, but at least twice.
_RUNS = 5
_MAX_S = 10.0


def repetition(case: Case) -> Finding:
    """Run the test on the input repeatedly, one run at a time; costs up to five runs."""
    begun = time.monotonic()
    while case.alone.runs < _RUNS and (case.alone.runs < 2 or time.monotonic() - begun < _MAX_S):
        case.run(case.document)
    yes, runs = case.alone
    text = f"One run at a time, the test accepts {case.document.title} in {yes} of {runs} runs."
    if case.alone.agrees and yes:
        return Finding("fine", text)
    return Finding("problem", f"{text} {FLAKY}")


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


def trials_alone(case: Case) -> Trials | None:
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
    if disturbed and trials_alone(case) is not None:
        return Finding("problem", DISTURBED)
    if wrong:
        return Finding(
            "problem",
            f"{wrong} of {runs} parallel runs gave another verdict than a run alone. {FLAKY}",
        )
    text = f"{runs} runs, {case.pool.width} at the same time, do not disturb each other."
    return Finding("fine", text)


_SLOW_S = 10.0


def limits(case: Case) -> Finding | None:
    """Report the time of the runs so far, and the limit; costs no run."""
    if not case.is_interesting and (stopped := case.stopped()):
        return stopped
    seconds = case.seconds
    if seconds is None:
        return None
    end = "never stopped" if case.limit is None else f"stopped after {case.limit:.0f} s"
    memory = "" if case.spec.memory is None else f" or {case.spec.memory:,} bytes of memory"
    text = f"A run takes {duration(seconds)} and is {end}{memory}."
    if seconds < _SLOW_S:
        return Finding("fine", text)
    hours = 1000 * seconds / case.pool.width / 3600
    return Finding(
        "doubt",
        f"{text} A thousand queries take {hours:.1f} hours. Leave out what the bug does not need, "
        "or start a slow tool once, by --server or --python.",
    )
