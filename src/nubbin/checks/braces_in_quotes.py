"""Find braces of code that nubbin takes for the place of the candidate."""

from __future__ import annotations

import re
from dataclasses import replace

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import run_in_words
from nubbin.oracles.commands.command_line import PLACE
from nubbin.oracles.output import quoted_output
from nubbin.pattern import pattern
from nubbin_core.verdict import Verdict

# Text in quotes, where `{}` may be code.
_IN_QUOTES = pattern(r"""'[^']*'|"[^"]*\"""")
_MAX_PLACES = 3


def braces_in_quotes(case: Case) -> Finding | None:
    """Find `{}` in the quotes of a command line that is code, and not a place for the candidate.

    Costs no run if there is none, otherwise up to four, each with a blank between some braces.
    """
    test = case.test
    if not test.is_line:
        return None
    line = str(test)
    places = [
        found.start() + at
        for found in _IN_QUOTES.finditer(line)
        for at in (match.start() for match in re.finditer(re.escape(PLACE), found[0]))
    ][:_MAX_PLACES]
    for each in dict.fromkeys([tuple(places), *((place,) for place in places)]):
        meant = line
        for at in reversed(each):
            meant = f"{meant[:at]}{{ }}{meant[at + len(PLACE) :]}"
        if not each or PLACE not in meant:
            continue
        if case.run_by(replace(test, words=(meant,))).verdict is Verdict.INTERESTING:
            return Finding(
                "problem",
                f"{test} rejects {case.document.title}: it {run_in_words(case.answer)}. "
                "nubbin replaces each {} of the line, even in quotes, with the path of the "
                "candidate. Put a blank between the braces that are code:\n\n    "
                + meant
                + quoted_output(case.answer.output),
            )
    return None
