"""Does the test find the input interesting? If not, why?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.checks.in_words import contract, outcome, stopped
from nubbin.checks.missing_files import missing_files
from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import quoted
from nubbin.verdict import DIFFERENT

# dash and busybox; bash; zsh; and programs that start others.
_NOT_FOUND = re.compile(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s
      (?P<name> [^\s:]+ ) : \s (?: command \s )? not \s found $
    | ^ .*? command \s not \s found: \s (?P<zsh> \S+ ) $
    | ^ .*? \b (?: (?: env | nohup | nice | xargs ) : | failed \s to \s run \s command ) \s
      [‘'"]? (?P<started> [^\s:’'"]+ ) [’'"]? : \s No \s such \s file \s or \s directory $
    """,
    re.VERBOSE | re.MULTILINE,
)
# The same of a file that may not be executed; a shell may say so of what it cannot read or write.
_DENIED = re.compile(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s (?P<name> / [^:\n]+ ) : \s Permission \s denied $
    | ^ .*? permission \s denied: \s (?P<zsh> / .+ ) $
    | ^ .*? \b (?: env | nohup | nice | xargs ) : \s
      [‘'"]? (?P<started> / [^:’'"\n]+ ) [’'"]? : \s Permission \s denied $
    """,
    re.VERBOSE | re.MULTILINE,
)


def missing_commands(case: Case) -> Iterator[Finding]:
    """Find a command that the last run on the input says cannot be run; costs no run."""
    output = case.answer.output
    for found in _NOT_FOUND.finditer(os.fsdecode(output)):
        name = _name(found)
        if "/" in name and not name.startswith("/"):
            continue  # a file of the user's folder
        yield _finding(
            case,
            found,
            "is not found. Install it, or give its absolute path if it is not in a folder of the "
            "PATH.",
        )
        return
    for found in _DENIED.finditer(os.fsdecode(output)):
        name = _name(found)
        if Path(name).is_file() and not os.access(name, os.X_OK):
            word = quoted_word(name)
            yield _finding(
                case,
                found,
                f"may not be executed. Make it executable, by chmod +x {word}, or give the command "
                f"with the program that runs it, as python3 {word}.",
            )
            return


def _name(found: re.Match[str]) -> str:
    return found["name"] or found["zsh"] or found["started"]


def _finding(case: Case, found: re.Match[str], what: str) -> Finding:
    is_script = found["line"] is not None and case.test.kind == "command"
    where = f" in line {found['line']}" if is_script else ""
    text = f"{case.test} runs the command {_name(found)}{where}, which {what}"
    return Finding("missing-commands", "problem", text + quoted(case.answer.output))


#: What can be the cause, the cheapest to find out first.
_CAUSES = (missing_commands, missing_files)


def refusal(case: Case) -> Iterator[Finding]:
    """Find out why the input is not interesting; nothing if it is.

    Costs no run if it is; else one, two for each folder whose files may be missing and, if that is
    not the cause, up to eight more of the input.
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
    return (
        f"{case.test} does not find {case.document.title} interesting as it is, not once in "
        f"{case.trials.runs} runs: it {outcome(case.answer)}. {contract(case)}"
        + quoted(case.answer.output)
    )


def _other_signature(case: Case) -> str:
    signature = case.spec.signature
    if signature is None or not _unsigned(case.answer, signature):
        return ""
    return (
        f"{case.test} finds {case.document.title} interesting as it is, but what it prints does "
        f"not match --signature {signature!r}. That is a regular expression, with ^ and $ for the "
        "ends of lines, which must match some part of what the test prints. Correct it."
        + (
            quoted(case.answer.output)
            or " Or have the test print something: it prints nothing at all."
        )
    )


def _unsigned(answer: Answer, signature: str) -> bool:
    """Tell whether all that keeps an answer from being interesting is the signature."""
    itself = answer.different and answer.exit_code != DIFFERENT and not answer.why
    return itself and not Regex("--signature", signature).is_in(answer.output, limit=None)
