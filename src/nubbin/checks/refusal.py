"""Check that the test accepts the input and rejects an empty one; the order of all checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nubbin.checks.case import Case, Check, Finding, called, run_in_words
from nubbin.checks.missing_files import failure_by_missing_files, missing_files
from nubbin.oracles.output import quoted_output
from nubbin_core.late import late
from nubbin_core.verdict import Verdict

LIMITS = Check("limits", late("nubbin.checks.trust:limits"))
_MISSING_COMMANDS = Check("missing-commands", late("nubbin.checks.causes:missing_commands"))
#: Checks for possible causes, the cheapest first.
_CAUSES = (
    _MISSING_COMMANDS,
    Check("missing-files", missing_files),
    Check("braces-in-quotes", late("nubbin.checks.causes:braces_in_quotes")),
    Check("other-name", late("nubbin.checks.causes:other_name")),
)
#: Those for a test that gives the same answer for any input; they cost no run.
_CAUSES_OF_SAMENESS = (
    Check("original-path", late("nubbin.checks.causes:original_path")),
    _MISSING_COMMANDS,
    Check("misspelt", late("nubbin.checks.causes:misspelt")),
)
_unset_variable = late("nubbin.checks.causes:unset_variable")


def refusal(case: Case) -> Finding | None:
    """Find out why the input is not interesting; returns None if it is.

    Costs no run if it is; otherwise one, two for each folder whose files may be missing, up to four
    for a command line with braces in quotes and, if none of these is the cause, up to eight more on
    the input, two on the empty input, and one that looks for variables that are not set.
    """
    if case.is_interesting:
        return None
    if case.was_stopped:
        return LIMITS(case)
    if case.runs_in_parallel:  # the first runs were made at once, and may have disturbed each other
        case.run(case.document)
    cause = None if case.is_interesting else _first_of(_CAUSES, case)
    if cause is None and not case.is_interesting:
        for _ in case.tries():
            if case.is_interesting:
                break
    if case.is_interesting:
        case.contradicted = case.runs_in_parallel
        return None
    return cause or Finding("problem", _prints_otherwise(case) or _unexplained(case))


def _first_of(causes: Iterable[Check], case: Case) -> Finding | None:
    return next(filter(None, (each(case) for each in causes)), None)


def _unexplained(case: Case) -> str:
    name, answer = case.document.title, case.answer
    text = (
        f"{case.test} rejects {name} as it is, in each of {case.trials.runs} runs: it "
        f"{run_in_words(answer)}."
    )
    if case.nothing().verdict is Verdict.INTERESTING:
        text += (
            f" Instead, it accepts an empty {name}. Either the test is the wrong way round (check "
            "each ! in it), or the misbehaviour does not show where the test is run."
        )
    contract = case.test.contract(*called(case.document))
    return f"{text} {contract}{_unset_variable(case)}{quoted_output(answer.output)}"


def _prints_otherwise(case: Case) -> str:
    answer = case.answer
    if case.test.is_line or not (answer.different and answer.why):
        return ""
    return (
        f"{case.test} accepts {case.document.title} as it is, but its output does not match "
        f"--prints {case.test.conditions.prints!r}. That is a regular expression, with ^ and $ for "
        "the ends of lines, which must match some part of what the test prints. Correct it."
        + (
            quoted_output(answer.output)
            or " Or have the test print something: it prints nothing at all."
        )
    )


def accepts_nothing(case: Case) -> Finding:
    """Find out whether an empty input is interesting: costs a run, and two more if it is."""
    nothing, name = case.nothing(), case.document.title
    if nothing.verdict is not Verdict.INTERESTING:
        text = f"The test rejects an empty {name}: it {run_in_words(nothing)}."
        return Finding("fine", text)
    return cause_of_sameness(case) or Finding(
        "problem",
        f"{case.test} accepts even an empty {name}, so nubbin would delete everything. "
        "Make it look for the misbehaviour itself (the message, the signal, the wrong output), not "
        "only for a failure of any kind." + _unset_variable(case) + quoted_output(nothing.output),
    )


def cause_of_sameness(case: Case) -> Finding | None:
    """Return a mistake that makes a test give the same answer for any input; costs no run."""
    return _first_of(_CAUSES_OF_SAMENESS, case)


#: Made before a reduction. A problem that one of these finds ends it.
NEEDED = (
    Check("refusal", refusal),
    Check("empty-input", accepts_nothing),
    Check("missing-files", failure_by_missing_files),
)

#: For a person who asks whether a test can be trusted.
ALL = (
    NEEDED[0],
    LIMITS,
    *NEEDED[1:],
    Check("idle-program", late("nubbin.checks.trust:idle_program")),
    Check("repetition", late("nubbin.checks.trust:repetition")),
    Check("disturbance", late("nubbin.checks.trust:disturbance")),
    Check("sensitivity", late("nubbin.checks.trust:sensitivity")),
    Check("sensitivity", late("nubbin.checks.trust:accepts_shuffled")),
)


def findings(case: Case, checks: tuple[Check, ...]) -> Iterator[Finding]:
    """Run the test on the input and on nothing, and yield the findings of some checks.

    Ends with the first problem of a check in `NEEDED`: later findings would make no sense.
    """
    case.begin()
    for check in checks:
        if finding := check(case):
            yield finding
            if finding.level == "problem" and check in NEEDED:
                return
