"""Check that the test accepts the input and rejects an empty one; find out why if it does not."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import called, outcome, stopped
from nubbin.checks.missing_files import missing_files
from nubbin.checks.test_text import original_path
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.output import quoted
from nubbin_core.late import late
from nubbin_core.verdict import DIFFERENT, Verdict

#: Checks for possible causes, the cheapest first.
_CAUSES = (
    late("nubbin.checks.missing_names:missing_commands"),
    missing_files,
    late("nubbin.checks.missing_names:braces_in_quotes"),
    late("nubbin.checks.missing_names:other_name"),
)
_unset_variable = late("nubbin.checks.missing_names:unset_variable")


def refusal(case: Case) -> Iterator[Finding]:
    """Find out why the input is not interesting; yields nothing if it is.

    Costs no run if it is; otherwise one, two for each folder whose files may be missing, up to four
    for a command line with braces in quotes and, if none of these is the cause, up to eight more on
    the input, two on the empty input, and one that looks for variables that are not set.
    """
    if case.is_interesting:
        return
    if case.was_stopped:
        yield Finding("limits", "problem", stopped(case))
        return
    if case.several:  # the first runs were made at once, and may have disturbed each other
        case.run(case.document)
    cause = None
    if not case.is_interesting:
        cause = next((found for each in _CAUSES for found in each(case)), None)
    if cause is None:
        case.try_again()
    if case.is_interesting:
        case.contradicted = case.several
        return
    yield cause or Finding("refusal", "problem", _other_signature(case) or _unexplained(case))


def _unexplained(case: Case) -> str:
    name, answer = case.document.title, case.answer
    text = (
        f"{case.test} does not find {name} interesting as it is, not once in {case.trials.runs} "
        f"runs: it {outcome(answer)}."
    )
    if case.nothing().verdict is Verdict.INTERESTING:
        text += (
            f" It finds an empty {name} interesting instead. So it is the wrong way round (check "
            "each ! in it), or the misbehaviour does not show where the test is run."
        )
    contract = case.test.contract(*called(case.document))
    return f"{text} {contract}{_unset_variable(case)}{quoted(answer.output)}"


def _other_signature(case: Case) -> str:
    signature, answer = case.spec.signature, case.answer
    accepted = answer.different and answer.exit_code != DIFFERENT and not answer.why
    if signature is None or not accepted:
        return ""
    if Regex("--prints", signature).is_in(answer.output, limit=None):
        return ""
    return (
        f"{case.test} finds {case.document.title} interesting as it is, but its output does "
        f"not match --prints {signature!r}. That is a regular expression, with ^ and $ for the "
        "ends of lines, which must match some part of what the test prints. Correct it."
        + (quoted(answer.output) or " Or have the test print something: it prints nothing at all.")
    )


_CAUSES_OF_SAMENESS = (
    original_path,
    late("nubbin.checks.missing_names:missing_commands"),
    late("nubbin.checks.missing_names:misspelt"),
)


def accepts_nothing(case: Case) -> Iterator[Finding]:
    """Find out whether an empty input is interesting: costs a run, and two more if it is."""
    nothing, name = case.nothing(), case.document.title
    if nothing.verdict is not Verdict.INTERESTING:
        text = f"An empty {name} is not interesting: the test {outcome(nothing)}."
        yield Finding("empty-input", "fine", text)
        return
    yield cause_of_sameness(case) or Finding(
        "empty-input",
        "problem",
        f"{case.test} finds even an empty {name} interesting, so everything would be deleted. "
        "Make it look for the misbehaviour itself (the message, the signal, the wrong output), not "
        "only for a failure of any kind." + _unset_variable(case) + quoted(nothing.output),
    )


def cause_of_sameness(case: Case) -> Finding | None:
    """Return a mistake that makes a test give the same answer for any input; costs no run."""
    return next((found for each in _CAUSES_OF_SAMENESS for found in each(case)), None)
