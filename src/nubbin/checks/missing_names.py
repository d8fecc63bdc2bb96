"""Find wrong names in a test: of a file, of the input, of a variable."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import run_in_words
from nubbin.checks.missing_files import MISSING
from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.output import quoted_output
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern

# A word of a script, or of a message, that may be a path or the place of the candidate.
_PATH = pattern(r"[\w./{}@%+~-]*[.{][\w./{}@%+~-]*[\w}]")


def _missed(case: Case) -> list[str]:
    """Return possible paths in the lines of the last output that report a missing file."""
    said = [line for line in case.answer.output.splitlines() if MISSING.search(line)]
    return _PATH.findall(os.fsdecode(b"\n".join(said)))


def misspelt(case: Case) -> Finding | None:
    """Find a missing file that a command line names and the last run reports; costs no run."""
    names = {Path(word).name for word in _missed(case)}
    folder = Path(case.test.folder)
    for word in dict.fromkeys(_PATH.findall(str(case.test))):
        path = folder / word
        if case.test.is_line and path.name in names and not path.exists():
            beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            near = get_close_matches(path.name, beside, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            text = f"{case.test} names {word}, and there is no such file in {folder}.{hint}"
            return Finding("problem", text + quoted_output(case.answer.output))
    return None


def other_name(case: Case) -> Finding | None:
    """Find a file that the test names and that is missing, as the last run on the input reports.

    Costs no run if there is none, otherwise one.
    """
    for word in _missed(case):
        where = _place_of(word, case)
        if where and not (word.startswith("/") and Path(word).exists()):
            text = (
                f"{case.test} rejects {case.document.title}: it {run_in_words(case.answer)}. "
                f"{where} names {word}, which is not there. "
                f"{_instead(word, case)}{unset_variable(case)}"
            )
            return Finding("problem", text + quoted_output(case.answer.output))
    return None


def _place_of(word: str, case: Case) -> str:
    """Return which line of the test has a word, as the start of a sentence; "" for none."""
    for script, number, line in case.test.script_lines():
        if word in _PATH.findall(line):
            return f"Line {number} of {script}"
    return "It" if case.test.is_line and word in _PATH.findall(str(case.test)) else ""


def _instead(word: str, case: Case) -> str:
    """Return advice on a name that does not exist where the test is run."""
    name = case.document.name
    if word == PLACE:
        return 'Only --run replaces {}: in a script, the path of the candidate is "$1".'
    if Path(word).name == name:
        return (
            f"{name} is in the folder that the test is started in: name it before any cd, or take "
            'its path from the last argument, "$1".'
        )
    if Path(word).suffix == Path(name).suffix:
        return (
            f"The input is {name}: it has this name in the folder that the test is started in, "
            "and its path is the last argument."
        )
    for folder in (case.root, Path(case.test.folder), case.test.path.parent):
        path = Path(os.path.abspath(folder / word))  # noqa: PTH100 - links stay as they are
        if path.is_file() and not os.access(path, os.X_OK):
            return (
                f"{path} may not be executed either: chmod +x {quoted_word(str(path))}, and name "
                "it by this absolute path."
            )
    return (
        f"Each run has a folder of its own, which contains only {name}: name other files by their "
        "absolute paths."
    )


# Messages of shells with -u: dash and zsh; bash; ksh.
_UNSET = pattern(
    r"^(?:.*?(?:: ?(?:line )?|\[)(?P<line>\d+)\]?: )?(?P<name>\w+): "
    r"(?:unbound variable|parameter not set)",
    re.MULTILINE,
)
_SHELLS = frozenset({"sh", "dash", "bash", "ksh", "mksh", "zsh", "ash"})


def unset_variable(case: Case) -> str:
    """Return a sentence, after a blank, on the first unset variable of the test; "" if none.

    Costs a run if a shell runs the test: the shell is told to stop at such a variable.
    """
    strict = _stopping_at_unset(case.test)
    found = strict and _UNSET.search(os.fsdecode(case.run_by(strict).output))
    if not strict or not found:
        return ""
    where = "it" if strict.is_line else f"its line {found['line']}"
    return f" Note that {where} uses ${found['name']}, which is not set."


def _stopping_at_unset(test: UserTest) -> UserTest | None:
    """Return a test whose shell stops at a variable that is not set; None if it has no shell."""
    if test.is_line:
        return replace(test, words=(f"set -u; {test}",))
    if not isinstance(test, CommandTest):
        return None
    words = test.interpreter_words
    if not words or Path(words[0]).name not in _SHELLS:
        return None
    return replace(test, words=(*words, "-u", *test.words))
