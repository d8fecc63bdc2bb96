"""Is the test fit to guide a reduction? Asked before anything is written."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.oracle import Answer, Oracle
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

#: How many queries `check_test` makes.
CHECKS = 3

#: How often the result is tried before the test is called flaky.
_TRIES = 3


def check_test(test: UserTest, oracle: Oracle, document: Document) -> None:
    """Check that a test finds the input interesting, twice, and the empty input not.

    Costs three queries. Raises WrongTest with a paragraph for the user.
    """
    name = document.title
    empty = document.emptied()
    if not any(file.data for file in document.files):
        raise WrongTest(f"{name} is empty: there is nothing to reduce.")

    first = oracle.explain(document.contents)
    if first.verdict is not Verdict.INTERESTING:
        raise WrongTest(
            f"{test} does not find {name} interesting as it is: it {_outcome(first)}. "
            + test.contract(name, single=document.is_single)
            + _quoted(first)
        )

    again = oracle.explain(document.contents)
    if again.verdict is not Verdict.INTERESTING:
        raise WrongTest(
            f"{test} is flaky: asked twice about the same {name}, it first found it interesting "
            f"and then {_outcome(again)}. Make it answer alike every time: fix random seeds, "
            f"thread counts and the clock, or let the test try several times and exit with "
            f"status 0 when any try misbehaves." + _quoted(again)
        )

    nothing = oracle.explain(empty.contents)
    if nothing.verdict is Verdict.INTERESTING:
        raise WrongTest(
            f"{test} finds even an empty {name} interesting, so everything would be deleted. "
            f"Make it look for the misbehaviour itself (the message, the signal, the wrong "
            f"output), not only for a failure of any kind." + _quoted(nothing)
        )


def confirm(oracle: Callable[[Document], Answer], result: Document, place: Path) -> int:
    """Run the test afresh on the result, last of all; return how many queries that took.

    Raises WrongTest when the result does not pass again.
    """
    for tries in range(1, _TRIES + 1):
        if oracle(result).verdict is Verdict.INTERESTING:
            return tries
    raise WrongTest(
        f"The test is flaky: it accepted the result in {place} during the run, and refused it "
        f"{_TRIES} times at the end. The file is the smallest the test ever accepted, but do "
        f"not rely on it. Make the test answer alike every time and start again."
    )


def _outcome(answer: Answer) -> str:
    if answer.exceeded is not None:
        return f"was stopped, for it took more than {answer.exceeded}"
    if answer.timed_out:
        return f"did not finish within {answer.seconds:.0f} s"
    if answer.exit_code is None:
        return f"answered {answer.verdict.value}"
    if answer.exit_code < 0:
        return f"was ended by signal {-answer.exit_code}"
    if answer.verdict is Verdict.UNRESOLVED:
        return f"exited with status {answer.exit_code} (cannot say)"
    return f"exited with status {answer.exit_code}"


def _quoted(answer: Answer) -> str:
    said = answer.output.decode(errors="replace").strip()
    if not said:
        return ""
    last = "\n".join(said.splitlines()[-10:])
    return "\n\nThe last it printed:\n" + textwrap.indent(last, "    ")
