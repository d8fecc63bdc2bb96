"""Check that the test rejects an empty input."""

from __future__ import annotations

from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.checks.in_words import outcome
from nubbin.checks.test_text import original_path
from nubbin.oracles.output import quoted
from nubbin_core.late import late
from nubbin_core.verdict import Verdict

_CAUSES = (
    original_path,
    late("nubbin.checks.missing_names:missing_commands"),
    late("nubbin.checks.missing_names:misspelt"),
)
_unset_variable = late("nubbin.checks.missing_names:unset_variable")


def accepts_nothing(case: Case) -> Iterator[Finding]:
    """Find out whether an empty input is interesting, and why.

    Costs a run on the empty input, and two more if that is interesting.
    """
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
    return next((found for each in _CAUSES for found in each(case)), None)
