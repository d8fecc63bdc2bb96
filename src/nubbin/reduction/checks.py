"""Is the test fit to guide a reduction? Asked before anything is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager

from nubbin.documents.document import Document
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.oracles.output import quoted
from nubbin.oracles.process import ended
from nubbin.oracles.regex import compiled
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import CANNOT_SAY, DIFFERENT, Verdict
from nubbin.reduction.drift import Baseline, Failure
from nubbin.reduction.open_job import OpenJob
from nubbin.search.trials import Trials

#: A test that is not interesting at first is tried this often, for at most this long.
_MAX_TRIES = 10
_MAX_TRIES_S = 10.0
#: Of more files than these, the number is told and not the names.
_MAX_NAMES = 3


def check_test(opened: OpenJob) -> Baseline:
    """Check that a test finds the input interesting, twice, and the empty input not.

    Costs three runs, some more if the test is flaky or wrong. Raises NubbinError with a paragraph
    for the user.
    """
    job = opened.job
    with before_the_start():
        return _check(job.test, opened.workers.oracle, job.original, job.options["signature"])


@contextmanager
def before_the_start() -> Iterator[None]:
    """Make a paragraph for the user, a NubbinError, of the loss of the workers in the block."""
    try:
        yield
    except BrokenExecutor as error:
        raise NubbinError(
            f"The workers that are to run the test are gone: {error}. Nothing had begun. When "
            "that is mended, start again."
        ) from error


def _check(test: UserTest, oracle: Oracle, document: Document, signature: str | None) -> Baseline:
    name = document.title
    empty = document.emptied()
    if not any(document.contents.values()):
        raise NubbinError(f"{name} is empty: there is nothing to reduce.")

    started = time.monotonic()
    trials, output = Trials(), b""
    for _ in range(_MAX_TRIES):
        answer = oracle.explain(document.contents)
        trials = trials.plus(answer.verdict is Verdict.INTERESTING)
        if answer.verdict is Verdict.INTERESTING:
            output = answer.output
        late = time.monotonic() - started > _MAX_TRIES_S
        if trials.runs >= 2 and (trials.yes or late):
            break
    if not trials.yes and signature is not None and _unsigned(answer, signature):
        raise NubbinError(
            f"{test} finds {name} interesting as it is, but what it prints does not match "
            f"--signature {signature!r}. That is a regular expression, with ^ and $ for the ends "
            f"of lines, which must match some part of what the test prints. Correct it."
            + (
                quoted(answer.output)
                or " Or have the test print something: it prints nothing at all."
            )
        )
    if not trials.yes:
        raise NubbinError(
            f"{test} does not find {name} interesting as it is, not once in {trials.runs} runs: "
            f"it {_outcome(answer)}. " + test.contract(*called(document)) + quoted(answer.output)
        )

    nothing = oracle.explain(empty.contents)
    # A flaky test may find anything interesting now and then.
    if nothing.verdict is Verdict.INTERESTING:
        nothing = oracle.explain(empty.contents)
    if nothing.verdict is Verdict.INTERESTING:
        raise NubbinError(
            f"{test} finds even an empty {name} interesting, so everything would be deleted. "
            f"Make it look for the misbehaviour itself (the message, the signal, the wrong "
            f"output), not only for a failure of any kind." + quoted(nothing.output)
        )
    return Baseline(trials, Failure.of(output, document))


def _unsigned(answer: Answer, signature: str) -> bool:
    """Tell whether all that keeps an answer from being interesting is the signature."""
    itself = answer.different and answer.exit_code != DIFFERENT and not answer.why
    return itself and not compiled("--signature", signature).search(answer.output)


def called(document: Document) -> tuple[str, str]:
    """Return what the folder of a query holds, and what the last argument of the test is."""
    if document.packed.is_single:
        return document.name, ", which is also its last argument and its standard input"
    if document.name != ".":
        return f"the folder {document.name}", ", which is also its last argument"
    names = list(document.contents)
    if len(names) > _MAX_NAMES:
        return f"the {len(names)} files given", ". Its last argument is that folder"
    return f"{', '.join(names[:-1])} and {names[-1]}", ". Its last argument is that folder"


def _outcome(answer: Answer) -> str:
    if answer.exceeded is not None:
        return f"was stopped, for it took more than {answer.exceeded}"
    if answer.timed_out and answer.cold:
        return f"did not answer within {answer.seconds:.0f} s of its start"
    if answer.timed_out:
        return f"did not finish within {answer.seconds:.0f} s"
    if answer.different and not answer.why:
        return "misbehaved in another way than it should"
    if answer.exit_code is None:
        return f"answered {answer.verdict.value}"
    cannot_say = " (cannot say)" if answer.exit_code == CANNOT_SAY else ""
    return ended(answer.exit_code) + (f", and {answer.why}" if answer.why else cannot_say)
