"""Is the test fit to guide a reduction? Asked before anything is written."""

from __future__ import annotations

import time

from nubbin.documents.document import Document
from nubbin.oracles.errors import NubbinError
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.oracles.output import quoted
from nubbin.oracles.process import ended
from nubbin.oracles.regex import compiled
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import CANNOT_SAY, DIFFERENT, Verdict
from nubbin.search.trials import Trials

#: How often a test that is not interesting at first is tried, for so many seconds.
_TRIES = 10
_PATIENCE = 10.0
#: How many files are told by name.
_NAMED = 3


def check_test(
    test: UserTest, oracle: Oracle, document: Document, signature: str | None = None
) -> Trials:
    """Check that a test finds the input interesting, twice, and the empty input not.

    Costs three queries, some more if the test is flaky or wrong. Returns what was said of the
    input. Raises WrongTest with a paragraph for the user, which knows the `signature` that what the
    test prints must match.
    """
    name = document.title
    empty = document.emptied()
    if not any(file.data for file in document.files):
        raise NubbinError(f"{name} is empty: there is nothing to reduce.")

    started = time.monotonic()
    trials = Trials()
    for _ in range(_TRIES):
        answer = oracle.explain(document.contents)
        trials = trials.plus(answer.verdict is Verdict.INTERESTING)
        late = time.monotonic() - started > _PATIENCE
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
            f"it {_outcome(answer)}. " + test.contract(*_called(document)) + quoted(answer.output)
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
    return trials


def _unsigned(answer: Answer, signature: str) -> bool:
    """Tell whether all that keeps an answer from being interesting is the signature."""
    itself = answer.different and answer.exit_code != DIFFERENT
    return itself and not compiled("--signature", signature).search(answer.output)


def _called(document: Document) -> tuple[str, str]:
    """Return what the folder of a query holds, and what the last argument of the test is."""
    if document.is_single:
        return document.name, ", which is also its last argument and its standard input"
    if document.name != ".":
        return f"the folder {document.name}", ", which is also its last argument"
    names = [file.path for file in document.files]
    if len(names) > _NAMED:
        return f"the {len(names)} files given", ". Its last argument is that folder"
    return f"{', '.join(names[:-1])} and {names[-1]}", ". Its last argument is that folder"


def _outcome(answer: Answer) -> str:
    if answer.exceeded is not None:
        return f"was stopped, for it took more than {answer.exceeded}"
    if answer.timed_out and answer.cold:
        return f"did not answer within {answer.seconds:.0f} s of its start"
    if answer.timed_out:
        return f"did not finish within {answer.seconds:.0f} s"
    if answer.different:
        return "misbehaved in another way than it should"
    if answer.exit_code is None:
        return f"answered {answer.verdict.value}"
    cannot_say = " (cannot say)" if answer.exit_code == CANNOT_SAY else ""
    return ended(answer.exit_code) + cannot_say
