"""Phrases that several checks use: exits, and the contents of a query's folder."""

from __future__ import annotations

from nubbin.checks.case import Case
from nubbin.documents.document import Document
from nubbin.oracles.output import quoted_output
from nubbin.oracles.processes.process import exit_in_words
from nubbin.text.figures import listed
from nubbin_core.search.flaky_aware_test import HOW_TO_BE_STEADY
from nubbin_core.verdict import CANNOT_SAY, Answer, Verdict

FLAKY = (
    "The test is flaky, so nubbin would run each candidate until it knows how often it fails. "
    f"Make the test deterministic: {HOW_TO_BE_STEADY}"
)

#: A finding about more files than these gives their number, and not all names.
MAX_NAMES = 3

#: The meanings of exit statuses by which a test or its shell reports that it could not run.
_SHELL_CODES = {
    CANNOT_SAY: "cannot say",
    126: "of a shell: it may not execute a command",
    127: "of a shell: it does not find a command",
}


def run_in_words(answer: Answer) -> str:
    """Return how a run that is not interesting ended, as the end of a sentence about the test."""
    if answer.exceeded is not None:
        return f"was stopped because it took more than {answer.exceeded}"
    if answer.timed_out:
        return f"did not finish within {answer.seconds:.0f} s"
    if answer.different and not answer.why:
        return "misbehaved in another way than it should"
    if answer.exit_code is None:
        return "could not tell" if answer.verdict is Verdict.UNRESOLVED else "answered no"
    meaning = _SHELL_CODES.get(answer.exit_code)
    said = f" ({meaning})" if meaning else ""
    return exit_in_words(answer.exit_code) + (f", and {answer.why}" if answer.why else said)


def stopped(case: Case) -> str:
    """Return a paragraph about a test that was stopped on the input."""
    answer = case.answer
    if answer.why:
        return (
            f"{case.test} cannot be judged on {case.document.title} because it takes more than "
            f"{answer.why} in its output. An expression with repetitions in a repetition, such as "
            "(a+)+, can take years to find that it does not match. Write it more simply, or "
            "give it more time with --timeout." + quoted_output(answer.output)
        )
    took = answer.exceeded or f"{answer.seconds:.0f} s" + (" for its start" if answer.cold else "")
    return (
        f"{case.test} was stopped on {case.document.title} because it took more than {took}. If it "
        "hangs, and that is the bug, say after how many seconds you are sure, in the test or by "
        "--run CMD --hangs 5. Otherwise give it more, by --timeout or --memory."
        + quoted_output(answer.output)
    )


def called(document: Document) -> tuple[str, str]:
    """Describe the contents of a query's folder, and the last argument of the test."""
    if document.packed.is_single:
        return document.name, ", which is also its last argument and its standard input"
    if document.name != ".":
        return f"the folder {document.name}", ", which is also its last argument"
    names = list(document.contents)
    if len(names) > MAX_NAMES:
        return f"the {len(names)} files given", ". Its last argument is that folder"
    return listed(names), ". Its last argument is that folder"
